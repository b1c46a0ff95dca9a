#ifndef REKINDLE_COMPONENT_LAUNCH_STEP_CHILD_H_
#define REKINDLE_COMPONENT_LAUNCH_STEP_CHILD_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/launch/secret_mask.h"
#include "component/launch/step.h"

namespace rekindle {

// A program that does the work of a step.
struct StepChild {
  std::string name;  // in messages: "the trainer"
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  absl::Duration grace = absl::Seconds(25);
  // What is kept out of the log, and of all that is passed on.
  SecretMask mask;
  // Each line that it prints; they are in the log already.
  std::function<void(absl::string_view line)> on_line = [](absl::string_view) {
  };
};

// Runs it as docs/executor-contract.md promises: its output goes to log.txt in
// the execution's folder, its progress to the orchestrator, and it is stopped
// when the step must stop, in time for the deadline. How it ended and what it
// used is added to the context's facts. OK if it ended with exit code 0. Each
// error has its reason attached (ReasonOf):
//
//   NOT_FOUND, PERMISSION_DENIED  CHILD_CANNOT_START
//   RESOURCE_EXHAUSTED            OUT_OF_MEMORY
//   UNAVAILABLE                   CHILD_SIGNAL or CHILD_EXIT_CODE: killed by
//                                 somebody, or it says itself (exit code 75)
//                                 that a retry may help
//   INTERNAL                      CHILD_SIGNAL or CHILD_EXIT_CODE, otherwise
//   DEADLINE_EXCEEDED             DEADLINE
//   CANCELLED, ABORTED            as StepContext::check_stop
absl::Status RunStepChild(const StepChild& child, const StepContext& context);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STEP_CHILD_H_
