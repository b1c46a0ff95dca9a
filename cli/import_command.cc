#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/step_inputs.h"
#include "component/launch/step.h"
#include "component/steps/import.h"

namespace rekindle {

int ImportCommand(const Arguments& arguments) {
  StepFlags step("Importer");
  ImportOptions options;
  std::string type;
  std::vector<std::string> properties;
  std::vector<std::string> custom_properties;
  FlagSet flags(
      "import --pipeline=NAME --type=TYPE --uri=PATH [flags]",
      "Makes files that are there already an artifact, where they are. The "
      "same "
      "content\nat the same place is the same artifact again.",
      "rekindle import --pipeline=penguin --type=Schema --uri=data/schema "
      "--custom-property=owner=birds");
  flags.String("type", "TYPE", &type,
               "one of TFX's artifact types, or your own; required");
  flags.String("uri", "PATH", &options.uri, "a file or folder; required");
  flags.String("name", "NAME", &options.name, "the artifact's name");
  flags.Strings("property", "NAME=VALUE", &properties,
                "a property that the type declares");
  flags.Strings("custom-property", "NAME=VALUE", &custom_properties,
                "any other property; a number if it looks like one");
  flags.Bool("reimport", &options.reimport,
             "make a new artifact, even of content that is known");
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        if (type.empty()) {
          return absl::InvalidArgumentError(
              "--type is missing; it names the artifact's type, as Examples");
        }
        RK_ASSIGN_OR_RETURN(options.type, ArtifactTypeNamed("type", type));
        RK_ASSIGN_OR_RETURN(options.properties,
                            ParseNamedValues("property", properties));
        RK_ASSIGN_OR_RETURN(
            options.custom_properties,
            ParseNamedValues("custom-property", custom_properties));
        return MakeImport(std::move(options), spec);
      });
}

}  // namespace rekindle
