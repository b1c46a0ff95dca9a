#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "component/launch/step.h"
#include "component/steps/example_gen.h"

namespace rekindle {

int ExampleGenCommand(const Arguments& arguments) {
  StepFlags step("CsvExampleGen");
  ExampleGenOptions options;
  FlagSet flags(
      "example-gen --pipeline=NAME --input=PATH [flags]",
      "Turns CSV into TFRecords of tf.Example, split into train and eval.",
      "rekindle example-gen --pipeline=penguin --input=penguins.csv "
      "--null-value=NA");
  flags.String("input", "PATH", &options.input,
               "a CSV file, or a folder of them; required");
  flags.Strings("null-value", "TEXT", &options.null_values,
                "a cell with this text is missing, like an empty one");
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        if (options.input.empty()) {
          return absl::InvalidArgumentError(
              "--input is missing; it names a CSV file or a folder of them");
        }
        return MakeExampleGen(options, spec);
      });
}

}  // namespace rekindle
