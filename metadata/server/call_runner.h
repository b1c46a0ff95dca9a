// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_CALL_RUNNER_H_
#define REKINDLE_METADATA_SERVER_CALL_RUNNER_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "metadata/server/call_metrics.h"

namespace rekindle {

// What every call goes through, whichever way it came. Thread-safe.
class CallRunner {
 public:
  // Runs `work` as one call and counts it; returns its status.
  absl::Status Run(absl::string_view transport, absl::string_view method,
                   absl::FunctionRef<absl::Status()> work);

  const CallMetrics& metrics() const { return metrics_; }

 private:
  CallMetrics metrics_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_CALL_RUNNER_H_
