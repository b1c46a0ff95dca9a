#ifndef REKINDLE_COMPONENT_LAUNCH_FAILURE_H_
#define REKINDLE_COMPONENT_LAUNCH_FAILURE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Why a step ended without its outputs, in one word that a program can act on.
// The word is stored with the execution, as the custom property below.
enum class FailureReason {
  kExecutorError,     // the work itself failed, and said why
  kInputNotFound,     // a required input has no usable artifact
  kInputUnusable,     // an input cannot be worked with: no such split, ...
  kInputChanged,      // a file changed between the look at it and the work
  kOutputUnwritable,  // the output root cannot be written
  kDiskFull,
  kChildCannotStart,
  kChildExitCode,  // the child ended with one, and said nothing
  kChildSignal,    // the child crashed, or was killed
  kOutOfMemory,
  kNoOutput,        // the child succeeded and wrote nothing
  kInvalidOutput,   // an output does not load, or answers no finite numbers
  kModuleUnusable,  // a user's module cannot be loaded, or has nothing to call
  kModuleRaised,    // it raised while it trained
  kPackageMissing,  // it imports what its interpreter does not have
  kNoGpu,           // one is required, and there is none
  kRewriteFailed,   // the model cannot be rewritten for another runtime
  kDeadline,
  kCancelled,
  kClaimLost,         // another process took the execution over
  kStoreUnreachable,  // the metadata store did not answer
  kLauncherLost,      // the process that ran it vanished; written by `reap`
};

// The failure as TFX stores it: ExecutionResultJson().
inline constexpr char kExecutionResultProperty[] = "__execution_result__";
inline constexpr char kFailureReasonProperty[] = "failure_reason";
// The last lines of a failed attempt's log.
inline constexpr char kFailureLogTailProperty[] = "failure_log_tail";

// "OUT_OF_MEMORY".
absl::string_view FailureReasonName(FailureReason reason);
// The other way; nullopt for a word that is none.
std::optional<FailureReason> FindFailureReason(absl::string_view name);

// `status` with the reason attached; an OK status stays OK.
absl::Status WithReason(FailureReason reason, absl::Status status);

// The reason attached to `status`, or what its code suggests. `status` must not
// be OK.
FailureReason ReasonOf(const absl::Status& status);

// {"code": 8, "resultMessage": "..."}.
std::string ExecutionResultJson(const absl::Status& error);
// The code of such a text; nullopt if it is none.
std::optional<absl::StatusCode> CodeOfExecutionResult(const std::string& json);

// Whether the same step may succeed after such an end (exit codes 75, 130 and
// 143).
bool MayHelpToRetry(absl::StatusCode code);

// Why an attempt vanished, from what its orchestrator says of it, as Argo's
// "main: OOMKilled (exit code 137)": OUT_OF_MEMORY, or LAUNCHER_LOST for
// anything else.
FailureReason ReasonOfVanished(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_FAILURE_H_
