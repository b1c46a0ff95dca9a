#include "cli/exit_code.h"

#include <csignal>
#include <iostream>

#include "absl/status/status.h"
#include "base/cancellation.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr int kSignalled = 128;

int SignalExitCode() {
  const int signal = Cancellation::Get().signal();
  return kSignalled + (signal != 0 ? signal : SIGTERM);
}

}  // namespace

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
      return kUsage;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kAlreadyExists:
      return kConflict;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return kTryAgain;
    case absl::StatusCode::kCancelled:
      return SignalExitCode();
    default:
      return kFailed;
  }
}

int ExitCodeOf(const StepReport& report) {
  if (report.error.ok()) return kOk;
  if (ReasonOf(report.error) == FailureReason::kInputNotFound) return kNotFound;
  switch (report.error.code()) {
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ExitCodeOf(report.error);
    default:
      // Whatever it was, the step's own work failed: not a matter of usage.
      return kFailed;
  }
}

int Fail(const absl::Status& status) {
  std::cerr << "rekindle: " << status.message() << '\n';
  return ExitCodeOf(status);
}

}  // namespace rekindle
