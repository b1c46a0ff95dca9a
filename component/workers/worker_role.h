#ifndef REKINDLE_COMPONENT_WORKERS_WORKER_ROLE_H_
#define REKINDLE_COMPONENT_WORKERS_WORKER_ROLE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace rekindle {

// What this process is among those that train together. A plain value.
struct WorkerRole {
  bool alone = true;  // there is no cluster
  std::string type;   // "chief", "worker", ...; empty if alone
  int64_t index = 0;
  // The one that claims the execution and publishes the model; the others only
  // take part.
  bool is_chief = true;

  // "worker 1".
  std::string Name() const;
};

// Reads the value of the variable TF_CONFIG as TFX and TensorFlow's
// multi-worker strategy do:
//
//   {"cluster": {"worker": ["a:2222", "b:2222"], "ps": ["c:2222"]},
//    "task": {"type": "worker", "index": 1}}
//
// No text, or no cluster: alone. The chief is the task of type `chief`, or
// `master` 0, or, in a cluster that has neither, `worker` 0. Addresses are the
// business of whoever connects to them.
//
//   INVALID_ARGUMENT  it is malformed, or its task is not in its cluster: what
//                     is wrong
absl::StatusOr<WorkerRole> ParseWorkerRole(const std::string& tf_config);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_WORKERS_WORKER_ROLE_H_
