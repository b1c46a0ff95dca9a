#include "component/steps/train.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/cache/content_digest.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/launch/step_child.h"
#include "component/launch/step_deadline.h"
#include "component/launch/supervisor.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/proto_json.h"
#include "component/steps/splits.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"
#include "tfx/trainer.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using tfx::components::trainer::EvalArgs;
using tfx::components::trainer::TrainArgs;

template <typename Args>
absl::StatusOr<Args> ParseArgs(absl::string_view flag,
                               const std::string& json) {
  Args args;
  RK_RETURN_IF_ERROR(FromJson(flag, json, args));
  if (args.num_steps() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": num_steps is ", args.num_steps(),
                     "; it must be positive, or 0 for the default"));
  }
  return args;
}

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

// Adds an input that a step can go without, but was told to read.
void AddIfNamed(const std::string& key, const std::string& type_name,
                const ArtifactRef& ref, StepSpec& spec) {
  if (ref == ArtifactRef{ArtifactRef::None{}}) return;
  spec.inputs.push_back(
      {key, type_name, ref, /*required=*/true, /*single=*/true});
}

// FnArgs wants the one file of a Schema or HyperParameters artifact.
absl::StatusOr<std::string> OnlyFileOf(const Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ListFiles(artifact.uri()));
  if (files.size() == 1) return files.front();
  return absl::FailedPreconditionError(absl::StrCat(
      artifact.type(), " artifact ", artifact.id(), " at ", artifact.uri(),
      " holds ", files.size(), " files; it must hold exactly one"));
}

absl::StatusOr<nlohmann::json> ReadHyperparameters(const Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::string file, OnlyFileOf(artifact));
  RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  auto values =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (values.is_object()) return values;
  return absl::FailedPreconditionError(
      absl::StrCat(artifact.type(), " artifact ", artifact.id(), ": ", file,
                   " is not a JSON object"));
}

std::string JsonListOf(const std::vector<WarmStartVariable>& variables) {
  nlohmann::json list = nlohmann::json::array();
  for (const WarmStartVariable& variable : variables) {
    nlohmann::json entry = {{"name", variable.name},
                            {"restored", variable.restored}};
    if (!variable.restored) entry["reason"] = variable.reason;
    list.push_back(std::move(entry));
  }
  return list.dump();
}

void AddNumber(absl::string_view flag, const std::optional<int>& number,
               std::vector<std::string>& argv) {
  if (!number.has_value()) return;
  argv.push_back(absl::StrCat("--", flag, "=", *number));
}

class Train : public Executor {
 public:
  explicit Train(TrainOptions options) : options_(std::move(options)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    RK_ASSIGN_OR_RETURN(const ExecutorInput input, MakeInput(context));
    const std::string input_path =
        JoinPath(context.execution_dir, "executor_input.json");
    // Of an earlier attempt.
    RK_RETURN_IF_ERROR(RemoveTree(input.output_path));
    RK_RETURN_IF_ERROR(RemoveTree(input.progress_path));
    RK_RETURN_IF_ERROR(WriteExecutorInput(input, input_path));

    const absl::Status ended = RunTrainer(input_path, context);
    RK_ASSIGN_OR_RETURN(const ExecutorOutput output, ReadAnswer(input, ended));
    RK_RETURN_IF_ERROR(ValidateModel(input, context));
    return MakeResult(output, context);
  }

 private:
  absl::StatusOr<ExecutorInput> MakeInput(const StepContext& context) const {
    ExecutorInput input;
    input.pipeline = context.pipeline;
    input.run_id = context.run_id;
    input.node_id = context.node_id;
    input.execution_id = context.execution_id;
    const std::vector<Artifact>& examples = context.inputs.at("examples");
    RK_ASSIGN_OR_RETURN(
        input.train_files,
        SplitPatterns(examples, SplitsOf(options_.train_args, "train")));
    RK_ASSIGN_OR_RETURN(
        input.eval_files,
        SplitPatterns(examples, SplitsOf(options_.eval_args, "eval")));
    input.train_steps = StepsOf(options_.train_args);
    input.eval_steps = StepsOf(options_.eval_args);
    RK_ASSIGN_OR_RETURN(input.schema_path,
                        OnlyFileOf(*context.FindInput("schema")));
    if (const Artifact* base = context.FindInput("base_model")) {
      RK_ASSIGN_OR_RETURN(input.base_model, ServingModelDir(*base));
    }
    if (const Artifact* graph = context.FindInput("transform_graph")) {
      input.transform_graph_path = graph->uri();
    }
    if (const Artifact* found = context.FindInput("hyperparameters")) {
      RK_ASSIGN_OR_RETURN(input.hyperparameters, ReadHyperparameters(*found));
    }
    const std::string& model = context.output_dirs.at("model");
    input.serving_model_dir = JoinPath(model, "Format-Serving");
    input.eval_model_dir = JoinPath(model, "Format-TFMA");
    input.model_run_dir = context.output_dirs.at("model_run");
    input.custom_config = options_.custom_config;
    const absl::Time stop_at =
        PlanStop(context.deadline, options_.grace, absl::Now()).stop_at;
    if (stop_at != absl::InfiniteFuture()) {
      input.deadline =
          absl::FormatTime(absl::RFC3339_full, stop_at, absl::UTCTimeZone());
    }
    input.progress_path = JoinPath(context.execution_dir, "progress");
    input.output_path = JoinPath(context.execution_dir, "executor_output.json");
    return input;
  }

  absl::Status RunTrainer(const std::string& input_path,
                          const StepContext& context) const {
    StepChild child;
    child.name = "the trainer";
    child.argv = {options_.trainer_binary,
                  absl::StrCat("--executor_input=", input_path)};
    if (!options_.module_file.empty()) {
      child.argv.push_back(
          absl::StrCat("--module_file=", options_.module_file));
    }
    AddNumber("workers", options_.workers, child.argv);
    AddNumber("worker_restarts", options_.worker_restarts, child.argv);
    if (options_.on_line) child.on_line = options_.on_line;
    child.grace = options_.grace;
    absl::Status ended = RunStepChild(child, context);
    if (ended.ok() || ReasonOf(ended) != FailureReason::kChildCannotStart) {
      return ended;
    }
    return WithNote(ended, "--trainer or REKINDLE_TRAINER names the program");
  }

  // The child's answer, or why there is none. That it was killed or stopped
  // matters more than what it answered; its own words more than an exit code.
  static absl::StatusOr<ExecutorOutput> ReadAnswer(const ExecutorInput& input,
                                                   const absl::Status& ended) {
    if (!ended.ok() && ReasonOf(ended) != FailureReason::kChildExitCode) {
      return ended;
    }
    absl::StatusOr<ExecutorOutput> output =
        ReadExecutorOutput(input.output_path);
    if (output.ok() && output->error.has_value()) {
      return ErrorOf(*output->error);
    }
    RK_RETURN_IF_ERROR(ended);
    if (!output.ok()) {
      return WithReason(absl::IsNotFound(output.status())
                            ? FailureReason::kNoOutput
                            : FailureReason::kInvalidOutput,
                        WithContext(output.status(),
                                    "the trainer ended well, but its answer "
                                    "cannot be read"));
    }
    if (!PathExists(input.serving_model_dir)) {
      return WithReason(
          FailureReason::kNoOutput,
          absl::NotFoundError(absl::StrCat("the trainer ended well, but wrote "
                                           "no model into ",
                                           input.serving_model_dir)));
    }
    return output;
  }

  // Tries the model as a server would use it. Our own trainer has done so.
  absl::Status ValidateModel(const ExecutorInput& input,
                             const StepContext& context) const {
    if (options_.validator_binary.empty() ||
        options_.validator_binary == options_.trainer_binary) {
      return absl::OkStatus();
    }
    std::string last_line;
    ChildSpec validator;
    validator.argv = {options_.validator_binary, "--mode=validate",
                      absl::StrCat("--saved_model=", input.serving_model_dir),
                      absl::StrCat("--examples=", input.eval_files.front())};
    validator.on_line = [&last_line](absl::string_view line) {
      last_line = std::string(line);
    };
    validator.stop_fds = context.stop_fds;
    RK_ASSIGN_OR_RETURN(const ChildEnd end, RunChild(validator));
    RK_RETURN_IF_ERROR(context.check_stop());
    if (end.process.ok()) return absl::OkStatus();
    return WithReason(
        FailureReason::kInvalidOutput,
        absl::DataLossError(absl::StrCat(
            "the trainer ended well, but its model cannot be served: ",
            last_line)));
  }

  static absl::Status ErrorOf(const ExecutorError& error) {
    absl::Status status(static_cast<absl::StatusCode>(error.code),
                        error.message);
    if (const auto named = FindFailureReason(error.reason)) {
      return WithReason(*named, status);
    }
    // Elsewhere these codes are about the store and the claim.
    if (absl::IsUnavailable(status) || absl::IsAborted(status)) {
      return WithReason(FailureReason::kExecutorError, status);
    }
    return status;
  }

  static StepResult MakeResult(const ExecutorOutput& output,
                               const StepContext& context) {
    StepResult result;
    PropertyMap& model = result.outputs["model"].custom_properties;
    for (const auto& [name, value] : output.metrics) {
      model[name] = DoubleValue(value);
    }
    model["train_complete"] = IntValue(output.train_complete ? 1 : 0);
    model["global_step"] = IntValue(output.global_step);

    PropertyMap& execution = result.execution_properties;
    for (const auto& [name, value] : output.environment) {
      execution[name] = StringValue(value);
    }
    if (output.resumed_from_step.has_value()) {
      execution["resumed_from_step"] = IntValue(*output.resumed_from_step);
    }
    if (output.warm_start.has_value()) {
      const int64_t base_id = context.FindInput("base_model")->id();
      execution["warm_started_from"] = IntValue(base_id);
      model["warm_started_from"] = IntValue(base_id);
      execution["warm_start_variables"] =
          StringValue(JsonListOf(output.warm_start->variables));
    }
    return result;
  }

  const TrainOptions options_;
};

}  // namespace

absl::StatusOr<TrainArgs> ParseTrainArgs(const std::string& json) {
  return ParseArgs<TrainArgs>("--train-args", json);
}

absl::StatusOr<EvalArgs> ParseEvalArgs(const std::string& json) {
  return ParseArgs<EvalArgs>("--eval-args", json);
}

std::unique_ptr<Executor> MakeTrain(TrainOptions options, StepSpec& spec) {
  spec.execution_type = TrainerType();
  spec.inputs = {{"examples", "Examples", options.examples},
                 {"schema", "Schema", options.schema, /*required=*/true,
                  /*single=*/true},
                 {"base_model", "Model", options.base_model, /*required=*/false,
                  /*single=*/true}};
  AddIfNamed("transform_graph", "TransformGraph", options.transform_graph,
             spec);
  AddIfNamed("hyperparameters", "HyperParameters", options.hyperparameters,
             spec);
  AddIfNamed("statistics", "ExampleStatistics", options.statistics, spec);
  spec.outputs = {{"model", ModelType()},
                  {"model_run", ModelRunType(), /*survives_failure=*/true}};
  spec.parameters = {
      {"train_args", StringValue(ToIndentedJson(options.train_args))},
      {"eval_args", StringValue(ToIndentedJson(options.eval_args))},
      {"custom_config", StringValue(ToPythonJson(options.custom_config))}};
  // It was built with one TensorFlow.
  spec.key_fields = {{"code.trainer", ProgramDigest(options.trainer_binary)}};
  if (!options.module_file.empty()) {
    spec.parameters["module_file"] = StringValue(options.module_file);
    spec.immaterial_parameters.insert("module_file");  // its contents count
    spec.key_fields["code.module"] = CodeDigest(options.module_file);
  }
  return std::make_unique<Train>(std::move(options));
}

}  // namespace rekindle
