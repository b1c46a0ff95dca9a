#include "cli/exit_code.h"

#include <csignal>
#include <iostream>
#include <poll.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "base/cancellation.h"
#include "cli/terminal_text.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr int kSignalled = 128;
constexpr absl::string_view kNobodyReadsUrl = "rekindle/nobody-reads";

int SignalExitCode() {
  const int signal = Cancellation::Get().signal();
  return kSignalled + (signal != 0 ? signal : SIGTERM);
}

// Whether the other end of a pipe or terminal is gone.
bool NobodyReads(int fd) {
  pollfd end = {fd, 0, 0};
  return poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

bool IsThatNobodyReads(const absl::Status& status) {
  return status.GetPayload(kNobodyReadsUrl).has_value();
}

}  // namespace

absl::Status CheckOutput() {
  if (std::cout.good()) return absl::OkStatus();
  absl::Status lost =
      absl::DataLossError("the standard output cannot be written");
  if (NobodyReads(STDOUT_FILENO)) {
    lost.SetPayload(kNobodyReadsUrl, absl::Cord());
  }
  return lost;
}

int ExitCodeOf(const absl::Status& status) {
  if (IsThatNobodyReads(status)) return kSignalled + SIGPIPE;
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
  if (!IsThatNobodyReads(status)) {
    std::cerr << "rekindle: " << TerminalText(status.message()) << '\n';
  }
  return ExitCodeOf(status);
}

}  // namespace rekindle
