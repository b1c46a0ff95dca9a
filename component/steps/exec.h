#ifndef REKINDLE_COMPONENT_STEPS_EXEC_H_
#define REKINDLE_COMPONENT_STEPS_EXEC_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/launch/step.h"

namespace rekindle {

struct ExecOptions {
  // The execution's type: what kind of work this is, whatever the node is
  // called. Part of the cache key, like `component_version`.
  std::string component = "rekindle.exec";
  std::string component_version;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  // By name, as they were given. A secret is recorded as its hash only.
  std::map<std::string, std::string> parameters;
  std::map<std::string, std::string> secrets;
  // The program and its arguments, with placeholders
  // (component/steps/placeholders.h).
  std::vector<std::string> command;
  absl::Duration grace = absl::Seconds(25);
  // Each line that the command prints.
  std::function<void(absl::string_view line)> on_line;
};

// Any command as a component: it finds its inputs and outputs by placeholders,
// in its environment or in a file, and may answer in another
// (docs/executor-contract.md). Fills in the execution type, inputs, outputs and
// parameters of `spec`.
//
//   INVALID_ARGUMENT  there is no command, a name is given twice, or a
//                     placeholder names nothing that there is
absl::StatusOr<std::unique_ptr<Executor>> MakeExec(ExecOptions options,
                                                   StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_EXEC_H_
