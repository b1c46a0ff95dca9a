#ifndef REKINDLE_OPERATOR_LOCAL_RUN_LOCK_H_
#define REKINDLE_OPERATOR_LOCAL_RUN_LOCK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rekindle::argo {

// Keeps a run's folder for this process alone: two runners would start the same
// steps twice. It ends with this object, or with the process, however that
// ends. Thread-compatible.
class RunLock {
 public:
  // The lock of the run in `folder`, which exists.
  //
  //   ABORTED  another process has it; the message says which
  static absl::StatusOr<std::unique_ptr<RunLock>> Take(
      const std::string& folder);

  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  explicit RunLock(int fd) : fd_(fd) {}

  const int fd_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_RUN_LOCK_H_
