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
#include "metadata/server/limits/call_kind.h"

namespace rekindle {

absl::Status CallRunner::Run(absl::string_view transport,
                             absl::string_view method,
                             absl::Time client_deadline,
                             absl::FunctionRef<absl::Status()> work) {
  metrics_.Begin();
  const absl::Time start = absl::Now();
  const CallKind kind = KindOfCall(method);
  const absl::Duration max_time =
      kind == CallKind::kStream ? max_stream_time_ : max_time_;
  const ScopedDeadline deadline(std::min(client_deadline, start + max_time));
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
  metrics_.End(transport, method, status.code(), absl::Now() - start);
  return status;
}

}  // namespace rekindle
