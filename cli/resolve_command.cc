#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/step_inputs.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/resolve.h"

namespace rekindle {
namespace {

// What to find; of `optional` keys nothing may be found.
absl::StatusOr<std::vector<InputSpec>> ParseInputs(
    const std::vector<std::string>& texts,
    const std::vector<std::string>& optional) {
  StepSpec spec;
  RK_RETURN_IF_ERROR(AddExtraInputs(texts, spec));
  for (const std::string& key : optional) {
    const auto found = std::find_if(
        spec.inputs.begin(), spec.inputs.end(),
        [&key](const InputSpec& input) { return input.key == key; });
    if (found == spec.inputs.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--optional: there is no --input '", key, "'"));
    }
    found->required = false;
  }
  return std::move(spec.inputs);
}

}  // namespace

int ResolveCommand(const Arguments& arguments) {
  StepFlags step("Resolver");
  std::vector<std::string> inputs;
  std::vector<std::string> optional;
  FlagSet flags(
      "resolve --pipeline=NAME --input=KEY=TYPE:REF... [flags]",
      "Chooses artifacts for the steps behind it, which take them as "
      "run:Resolver.KEY, and\nreports them as its outputs. Nothing is copied.",
      "rekindle resolve --pipeline=penguin "
      "--input=model=Model:latest-blessed --optional=model");
  flags.Strings("input", "KEY=TYPE:REF", &inputs,
                absl::StrCat("what to find: ", kArtifactRefForms));
  flags.Strings("optional", "KEY", &optional,
                "nothing found under this key is an answer, not an error");
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(std::vector<InputSpec> wanted,
                            ParseInputs(inputs, optional));
        return MakeResolve(std::move(wanted), spec);
      });
}

}  // namespace rekindle
