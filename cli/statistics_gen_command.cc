#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/statistics_gen.h"

namespace rekindle {

int StatisticsGenCommand(const Arguments& arguments) {
  StepFlags step("StatisticsGen");
  std::string examples = "latest";
  StatisticsGenOptions options;
  FlagSet flags("statistics-gen --pipeline=NAME [flags]",
                "Computes statistics of each split of examples, as TFX's "
                "StatisticsGen does;\n'rekindle statistics show' prints them.",
                "rekindle statistics-gen --pipeline=penguin "
                "--examples=run:CsvExampleGen.examples --run-id=monday");
  flags.String("examples", "REF", &examples,
               absl::StrCat("the examples: ", kArtifactRefForms));
  flags.Strings("exclude-splits", "NAME", &options.exclude_splits,
                "a split to leave out; may be given again");
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(options.examples,
                            RefFromFlag("examples", examples));
        return MakeStatisticsGen(options, spec);
      });
}

}  // namespace rekindle
