// Internal to operator/pods/pod_runner.
#ifndef REKINDLE_OPERATOR_PODS_LOG_LIMIT_H_
#define REKINDLE_OPERATOR_PODS_LOG_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace rekindle::argo {

// What was cut off a log so far.
struct DroppedLog {
  uint64_t bytes = 0;
  size_t note = 0;  // bytes of the line that says so
};

// If the log at `path` has over `most` bytes, keeps its last `most` / 2, behind
// a line that says how many are gone. Whoever appends to it (O_APPEND) goes on
// meanwhile. Nothing there is fine.
absl::Status LimitLog(const std::string& path, size_t most,
                      DroppedLog& dropped);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_LOG_LIMIT_H_
