#include "metadata/server/call_runner.h"

#include <algorithm>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"

namespace rekindle {

absl::Status CallRunner::Run(absl::string_view transport,
                             absl::string_view method,
                             absl::Time client_deadline,
                             absl::FunctionRef<absl::Status()> work) {
  metrics_.Begin();
  const absl::Time start = absl::Now();
  const ScopedDeadline deadline(std::min(client_deadline, start + max_time_));
  absl::Status status = DeadlinePassed()
                            ? absl::DeadlineExceededError("it was not begun")
                            : work();
  if (absl::IsDeadlineExceeded(status)) {
    status = absl::DeadlineExceededError(
        absl::StrCat(method, " takes longer than its client waits or than the ",
                     absl::FormatDuration(max_time_),
                     " that the server allows; ask for less at a time"));
  }
  metrics_.End(transport, method, status.code(), absl::Now() - start);
  return status;
}

}  // namespace rekindle
