#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/bless.h"

namespace rekindle {
namespace {

std::string LoginName() {
  const char* name = std::getenv("USER");
  return name == nullptr ? "unknown" : name;
}

}  // namespace

int BlessCommand(const Arguments& arguments) {
  StepFlags step("Blesser");
  BlessOptions options;
  options.person = LoginName();
  std::string model = "latest";
  bool no = false;
  FlagSet flags(
      "bless --pipeline=NAME --model=REF --reason=TEXT [flags]",
      "Records a person's decision on a model: it is blessed, and "
      "`latest-blessed` takes it,\nor it is not, which takes earlier blessings "
      "back.",
      "rekindle bless --pipeline=penguin --model=id:7 "
      "--reason='looked at the errors with the field team'");
  flags.String("model", "REF", &model,
               absl::StrCat("the model: ", kArtifactRefForms));
  flags.Bool("no", &no, "the model is not blessed");
  flags.String("reason", "TEXT", &options.reason, "why; required");
  flags.String("by", "NAME", &options.person, "who decided");
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(options.model, RefFromFlag("model", model));
        options.blessed = !no;
        return MakeBless(std::move(options), spec);
      });
}

}  // namespace rekindle
