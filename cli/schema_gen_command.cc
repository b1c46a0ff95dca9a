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
#include "component/steps/schema_gen.h"

namespace rekindle {

int SchemaGenCommand(const Arguments& arguments) {
  StepFlags step("SchemaGen");
  std::string examples = "latest";
  FlagSet flags("schema-gen --pipeline=NAME [flags]",
                "Infers a schema from examples and writes schema.pbtxt.",
                "rekindle schema-gen --pipeline=penguin "
                "--examples=run:CsvExampleGen.examples --run-id=monday");
  flags.String("examples", "REF", &examples,
               absl::StrCat("the examples: ", kArtifactRefForms));
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        SchemaGenOptions options;
        RK_ASSIGN_OR_RETURN(options.examples,
                            RefFromFlag("examples", examples));
        return MakeSchemaGen(options, spec);
      });
}

}  // namespace rekindle
