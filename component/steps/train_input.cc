#include "component/steps/train_input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/contract/executor_input.h"
#include "component/launch/step.h"
#include "component/launch/step_deadline.h"
#include "component/launch/tfx_names.h"
#include "component/steps/split_statistics.h"
#include "component/steps/splits.h"
#include "component/steps/train.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

// Splits asked for, or TFX's default.
template <typename Args>
std::vector<std::string> SplitsOf(const Args& args, const char* by_default) {
  if (args.splits().empty()) return {by_default};
  return {args.splits().begin(), args.splits().end()};
}

template <typename Args>
std::optional<int64_t> StepsOf(const Args& args) {
  if (args.num_steps() == 0) return std::nullopt;
  return args.num_steps();
}

absl::StatusOr<nlohmann::json> ReadHyperparameters(const Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::string file, OnlyFileIn(artifact));
  RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  auto values =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (values.is_object()) return values;
  return UnusableInput(
      artifact, absl::StrCat("is unusable: ", file, " is not a JSON object"));
}

// How many examples each split has, as statistics say, ours or TFX's.
absl::StatusOr<nlohmann::json> NumExamples(const Artifact& statistics) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> splits,
                      SplitNames(statistics));
  nlohmann::json counts = nlohmann::json::object();
  for (const std::string& split : splits) {
    RK_ASSIGN_OR_RETURN(const SplitStatistics read,
                        ReadStatistics(statistics, split));
    counts[split] = read.statistics.num_examples();
  }
  return counts;
}

absl::Status AddExamples(const TrainOptions& options,
                         const StepContext& context, ExecutorInput& input) {
  const std::vector<Artifact>& examples = context.inputs.at("examples");
  RK_ASSIGN_OR_RETURN(
      input.train_files,
      SplitPatterns(examples, SplitsOf(options.train_args, "train")));
  RK_ASSIGN_OR_RETURN(
      input.eval_files,
      SplitPatterns(examples, SplitsOf(options.eval_args, "eval")));
  input.train_steps = StepsOf(options.train_args);
  input.eval_steps = StepsOf(options.eval_args);
  return absl::OkStatus();
}

// Inputs that a step may go without.
absl::Status AddOptionalInputs(const StepContext& context,
                               ExecutorInput& input) {
  if (const Artifact* schema = context.FindInput("schema")) {
    RK_ASSIGN_OR_RETURN(input.schema_path, OnlyFileIn(*schema));
  }
  if (const Artifact* base = context.FindInput("base_model")) {
    RK_ASSIGN_OR_RETURN(input.base_model, ServingModelDir(*base));
  }
  if (const Artifact* graph = context.FindInput("transform_graph")) {
    input.transform_graph_path = graph->uri();
  }
  if (const Artifact* found = context.FindInput("hyperparameters")) {
    RK_ASSIGN_OR_RETURN(input.hyperparameters, ReadHyperparameters(*found));
  }
  if (const Artifact* statistics = context.FindInput("statistics")) {
    RK_ASSIGN_OR_RETURN(input.num_examples, NumExamples(*statistics));
  }
  return absl::OkStatus();
}

void AddPlaces(const TrainOptions& options, const StepContext& context,
               ExecutorInput& input) {
  const std::string& model = context.output_dirs.at("model");
  input.serving_model_dir = JoinPath(model, "Format-Serving");
  input.eval_model_dir = JoinPath(model, "Format-TFMA");
  input.model_run_dir = context.output_dirs.at("model_run");
  const absl::Time stop_at =
      PlanStop(context.deadline, options.grace, absl::Now()).stop_at;
  if (stop_at != absl::InfiniteFuture()) {
    input.deadline =
        absl::FormatTime(absl::RFC3339_full, stop_at, absl::UTCTimeZone());
  }
  input.progress_path = JoinPath(context.attempt_dir, "progress");
  input.output_path = JoinPath(context.attempt_dir, "executor_output.json");
}

}  // namespace

absl::StatusOr<ExecutorInput> MakeTrainInput(const TrainOptions& options,
                                             const StepContext& context) {
  ExecutorInput input;
  input.pipeline = context.pipeline;
  input.run_id = context.run_id;
  input.node_id = context.node_id;
  input.execution_id = context.execution_id;
  RK_RETURN_IF_ERROR(AddExamples(options, context, input));
  RK_RETURN_IF_ERROR(AddOptionalInputs(context, input));
  AddPlaces(options, context, input);
  input.custom_config = options.custom_config;
  return input;
}

}  // namespace rekindle
