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
#include "component/steps/push.h"

namespace rekindle {

int PushCommand(const Arguments& arguments) {
  StepFlags step("Pusher");
  PushOptions options;
  std::string model = "latest";
  std::string blessing = "latest";
  FlagSet flags(
      "push --pipeline=NAME --destination=DIR [flags]",
      "Copies a blessed model into a folder that TensorFlow Serving watches, "
      "as its newest\nversion, whole or not at all. A model that is not "
      "blessed is not pushed: that is not a failure.",
      "rekindle push --pipeline=penguin --model=latest-blessed "
      "--destination=/srv/models/penguin");
  flags.String("model", "REF", &model,
               absl::StrCat("the model: ", kArtifactRefForms));
  flags.String("blessing", "REF", &blessing,
               "the ModelBlessing that must bless it; none pushes any model");
  flags.String("destination", "DIR", &options.destination,
               "the folder with a subfolder for each version; required");
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(options.model, RefFromFlag("model", model));
        RK_ASSIGN_OR_RETURN(options.blessing,
                            RefFromFlag("blessing", blessing));
        return MakePush(std::move(options), spec);
      });
}

}  // namespace rekindle
