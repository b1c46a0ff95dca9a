#ifndef REKINDLE_COMPONENT_STRATEGIES_TF_CONFIG_H_
#define REKINDLE_COMPONENT_STRATEGIES_TF_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rekindle {

// The workers of a job, and which of them this process is. A plain value.
struct Cluster {
  std::vector<std::string> workers;  // "host:port"; the chief's is the first
  int worker = 0;                    // ours
};

// Reads the value of the variable TF_CONFIG:
//
//   {"cluster": {"chief": ["a:2222"], "worker": ["b:2222", "c:2222"]},
//    "task": {"type": "worker", "index": 0}}
//
// Without a chief, worker 0 is the chief. An empty text, {} or an empty cluster
// is one without workers: the process trains alone.
//
//   INVALID_ARGUMENT  it is malformed (what is wrong), or has roles that are
//                     not supported (which)
absl::StatusOr<Cluster> ParseTfConfig(const std::string& text);

// The TF_CONFIG of one of a cluster's workers.
std::string MakeTfConfig(const Cluster& cluster);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_TF_CONFIG_H_
