#include "metadata/server/call_runner.h"

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {

absl::Status CallRunner::Run(absl::string_view transport,
                             absl::string_view method,
                             absl::FunctionRef<absl::Status()> work) {
  metrics_.Begin();
  const absl::Time start = absl::Now();
  absl::Status status = work();
  metrics_.End(transport, method, status.code(), absl::Now() - start);
  return status;
}

}  // namespace rekindle
