// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_CALL_RUNNER_H_
#define REKINDLE_METADATA_SERVER_CALL_RUNNER_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "metadata/server/call_metrics.h"

namespace rekindle {

// What every call goes through, whichever way it came. Thread-safe.
class CallRunner {
 public:
  // Calls that take longer than `max_time`, and streams that take longer than
  // `max_stream_time`, are given up, where they can be.
  explicit CallRunner(absl::Duration max_time,
                      absl::Duration max_stream_time = absl::Hours(1))
      : max_time_(max_time), max_stream_time_(max_stream_time) {}

  // Runs `work` as one call, in the lane of its kind, and counts it; returns
  // its status. The client waits for its answer until `client_deadline`.
  //
  //   DEADLINE_EXCEEDED  either time was over, perhaps before `work` began
  absl::Status Run(absl::string_view transport, absl::string_view method,
                   absl::Time client_deadline,
                   absl::FunctionRef<absl::Status()> work);

  const CallMetrics& metrics() const { return metrics_; }
  CallMetrics& metrics() { return metrics_; }

 private:
  const absl::Duration max_time_;
  const absl::Duration max_stream_time_;
  CallMetrics metrics_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_CALL_RUNNER_H_
