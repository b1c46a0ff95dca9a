#include "metadata/server/call_runner.h"

#include <algorithm>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "metadata/api/reader_lane.h"
#include "metadata/server/call_metrics.h"
#include "metadata/server/limits/call_kind.h"

namespace rekindle {
namespace {

// A call that has begun. It ends with this, also when the work throws.
class CountedCall {
 public:
  CountedCall(CallMetrics& metrics, absl::string_view transport,
              absl::string_view method)
      : metrics_(metrics), transport_(transport), method_(method) {
    metrics_.Begin();
  }
  ~CountedCall() {
    metrics_.End(transport_, method_, code_, absl::Now() - start_);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  absl::Time start() const { return start_; }
  void set_code(absl::StatusCode code) { code_ = code; }

 private:
  CallMetrics& metrics_;
  const absl::string_view transport_;
  const absl::string_view method_;
  const absl::Time start_ = absl::Now();
  absl::StatusCode code_ = absl::StatusCode::kInternal;
};

}  // namespace

absl::Status CallRunner::Run(absl::string_view transport,
                             absl::string_view method,
                             absl::Time client_deadline,
                             absl::FunctionRef<absl::Status()> work) {
  CountedCall call(metrics_, transport, method);
  const CallKind kind = KindOfCall(method);
  const absl::Duration max_time =
      kind == CallKind::kStream ? max_stream_time_ : max_time_;
  const ScopedDeadline deadline(
      std::min(client_deadline, call.start() + max_time));
  const ScopedReaderLane lane(LaneOf(kind));
  absl::Status status = DeadlinePassed()
                            ? absl::DeadlineExceededError("it was not begun")
                            : work();
  if (absl::IsDeadlineExceeded(status)) {
    status = absl::DeadlineExceededError(
        absl::StrCat(method, " takes longer than its client waits or than the ",
                     absl::FormatDuration(max_time),
                     " that the server allows; ask for less at a time"));
  }
  call.set_code(status.code());
  return status;
}

}  // namespace rekindle
