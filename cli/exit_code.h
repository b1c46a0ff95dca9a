#ifndef REKINDLE_CLI_EXIT_CODE_H_
#define REKINDLE_CLI_EXIT_CODE_H_

#include "absl/status/status.h"
#include "component/launch/step.h"

namespace rekindle {

// What a process's end means to whoever started it. The Argo templates retry
// kTryAgain and nothing else of these.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // retrying will not help
inline constexpr int kUsage = 2;
inline constexpr int kNotFound = 3;
inline constexpr int kConflict = 4;   // or the claim was lost
inline constexpr int kTryAgain = 75;  // out of memory, store unreachable

// OK as long as the standard output takes what is written to it.
//
//   DATA_LOSS  it does not; when nobody reads it any more, as behind `| head`,
//              Fail() ends as SIGPIPE does: silently, with 128 plus its number
absl::Status CheckOutput();

// The exit code for a command that could not do what it was asked.
int ExitCodeOf(const absl::Status& status);

// The exit code for a step: 0 when it completed; 128 plus the signal when it
// was cancelled.
int ExitCodeOf(const StepReport& report);

// Prints "rekindle: MESSAGE" to stderr, unless nobody reads our output any
// more; returns ExitCodeOf(status).
int Fail(const absl::Status& status);

}  // namespace rekindle

#endif  // REKINDLE_CLI_EXIT_CODE_H_
