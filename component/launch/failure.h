#ifndef REKINDLE_COMPONENT_LAUNCH_FAILURE_H_
#define REKINDLE_COMPONENT_LAUNCH_FAILURE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Why a step ended without its outputs, in one word that a program can act on.
// The word is stored with the execution, as the custom property below.
enum class FailureReason {
  kExecutorError,     // the work itself failed, and said why
  kInputNotFound,     // a required input has no usable artifact
  kInputUnusable,     // an input cannot be worked with: no such split, ...
  kOutputUnwritable,  // the output root cannot be written
  kDiskFull,
  kChildCannotStart,
  kChildExitCode,  // the child ended with one, and said nothing
  kChildSignal,    // the child crashed, or was killed
  kOutOfMemory,
  kNoOutput,       // the child succeeded and wrote nothing
  kInvalidOutput,  // an output does not load, or answers no finite numbers
  kDeadline,
  kCancelled,
  kClaimLost,         // another process took the execution over
  kStoreUnreachable,  // the metadata store did not answer
  kLauncherLost,      // the process that ran it vanished; written by `reap`
};

inline constexpr char kFailureReasonProperty[] = "failure_reason";

// "OUT_OF_MEMORY".
absl::string_view FailureReasonName(FailureReason reason);

// `status` with the reason attached; an OK status stays OK.
absl::Status WithReason(FailureReason reason, absl::Status status);

// The reason attached to `status`, or what its code suggests. `status` must not
// be OK.
FailureReason ReasonOf(const absl::Status& status);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_FAILURE_H_
