#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
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
namespace {

absl::StatusOr<SchemaGenOptions> MakeOptions(const std::string& examples,
                                             const std::string& statistics,
                                             const std::string& shape) {
  SchemaGenOptions options;
  if (!examples.empty() && !statistics.empty()) {
    return absl::InvalidArgumentError(
        "--examples and --statistics are both given; the schema is inferred "
        "from one of them");
  }
  RK_ASSIGN_OR_RETURN(
      options.examples,
      RefFromFlag("examples", examples.empty() ? "latest" : examples));
  if (!statistics.empty()) {
    RK_ASSIGN_OR_RETURN(options.statistics,
                        RefFromFlag("statistics", statistics));
  }
  if (shape != "true" && shape != "false") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--infer-feature-shape: '", shape, "' is neither true nor false"));
  }
  options.infer_feature_shape = shape == "true";
  return options;
}

}  // namespace

int SchemaGenCommand(const Arguments& arguments) {
  StepFlags step("SchemaGen");
  std::string examples;
  std::string statistics;
  std::string shape = "true";
  std::vector<std::string> exclude_splits;
  FlagSet flags("schema-gen --pipeline=NAME [flags]",
                "Infers a schema from examples, or from statistics of them, "
                "and writes schema.pbtxt.",
                "rekindle schema-gen --pipeline=penguin "
                "--statistics=run:StatisticsGen.statistics --run-id=monday");
  flags.String("statistics", "REF", &statistics,
               absl::StrCat("statistics of the examples: ", kArtifactRefForms));
  flags.String("examples", "REF", &examples,
               "the examples themselves, if there are no statistics (default: "
               "latest)");
  flags.String("infer-feature-shape", "true|false", &shape,
               "give a shape to a feature that always has the same number of "
               "values");
  flags.Strings("exclude-splits", "NAME", &exclude_splits,
                "a split to leave out; may be given again");
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(SchemaGenOptions options,
                            MakeOptions(examples, statistics, shape));
        options.exclude_splits = exclude_splits;
        return MakeSchemaGen(options, spec);
      });
}

}  // namespace rekindle
