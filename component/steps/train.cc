#include "component/steps/train.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/contract/rewrite_output.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/launch/supervisor.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/child_answer.h"
#include "component/steps/proto_json.h"
#include "component/steps/rewrite.h"
#include "component/steps/train_child.h"
#include "component/steps/train_input.h"
#include "component/steps/train_result.h"
#include "metadata/api/values.h"
#include "nlohmann/json.hpp"
#include "tfx/trainer.pb.h"

namespace rekindle {
namespace {

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

// A module in Python knows its features, and a transform graph has a schema of
// its own.
bool NeedsSchema(const TrainOptions& options) {
  return !HasPythonModule(options) && IsNone(options.transform_graph);
}

// Adds an input that a step can go without, but was told to read.
void AddIfNamed(const std::string& key, const std::string& type_name,
                const ArtifactRef& ref, StepSpec& spec) {
  if (IsNone(ref)) return;
  spec.inputs.push_back(
      {key, type_name, ref, /*required=*/true, /*single=*/true});
}

Rewriting RewritingOf(const TrainOptions& options) {
  return {options.rewrites, options.python, options.python_library,
          options.grace, options.on_line};
}

class Train : public Executor {
 public:
  explicit Train(TrainOptions options) : options_(std::move(options)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    if (!options_.rewrites.empty()) {
      RK_RETURN_IF_ERROR(CheckRewriter(RewritingOf(options_)));
    }
    RK_ASSIGN_OR_RETURN(const ExecutorInput input, WriteInput(context));
    const absl::Status ended =
        RunTrainChild(options_, InputPath(context), context);
    RK_ASSIGN_OR_RETURN(const ExecutorOutput output, ReadAnswer(input, ended));
    RK_RETURN_IF_ERROR(ValidateModel(input, context));
    RK_ASSIGN_OR_RETURN(PropertyMap rewritten, Rewrite(input, output, context));
    StepResult result = MakeTrainResult(output, context);
    result.outputs["model"].custom_properties.merge(rewritten);
    return result;
  }

  absl::Status TakePart(const StepContext& context) override {
    RK_RETURN_IF_ERROR(WriteInput(context).status());
    return RunTrainChild(options_, InputPath(context), context);
  }

 private:
  static std::string InputPath(const StepContext& context) {
    return JoinPath(context.attempt_dir, "executor_input.json");
  }

  absl::StatusOr<ExecutorInput> WriteInput(const StepContext& context) const {
    RK_ASSIGN_OR_RETURN(ExecutorInput input, MakeTrainInput(options_, context));
    RK_RETURN_IF_ERROR(WriteExecutorInput(input, InputPath(context)));
    return input;
  }

  // The child's answer, or why there is none.
  static absl::StatusOr<ExecutorOutput> ReadAnswer(const ExecutorInput& input,
                                                   const absl::Status& ended) {
    if (!IsWorthReading(ended)) return ended;
    absl::StatusOr<ExecutorOutput> output =
        ReadExecutorOutput(input.output_path);
    if (output.ok() && output->error.has_value()) {
      return StatusOf(*output->error);
    }
    RK_RETURN_IF_ERROR(ended);
    if (!output.ok()) return UnreadableAnswer(output.status(), "the trainer");
    if (!PathExists(input.serving_model_dir)) {
      return WithReason(
          FailureReason::kNoOutput,
          absl::NotFoundError(absl::StrCat("the trainer ended well, but wrote "
                                           "no model into ",
                                           input.serving_model_dir)));
    }
    return output;
  }

  // Tries the model as a server would use it. Our own trainer, and what runs a
  // module in Python, have done so.
  absl::Status ValidateModel(const ExecutorInput& input,
                             const StepContext& context) const {
    if (options_.skip_validation || HasPythonModule(options_) ||
        options_.validator_binary == options_.trainer_binary) {
      return absl::OkStatus();
    }
    std::string last_line;
    ChildSpec validator;
    validator.argv = {options_.validator_binary, "--mode=validate",
                      absl::StrCat("--saved_model=", input.serving_model_dir),
                      absl::StrCat("--examples=", input.eval_files.front())};
    if (!input.transform_graph_path.empty()) {
      validator.argv.emplace_back("--transformed");
    }
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

  // Makes models for other runtimes of the one that was trained; what is to be
  // recorded of that one then. A training that was cut short leaves no time for
  // it.
  absl::StatusOr<PropertyMap> Rewrite(const ExecutorInput& input,
                                      const ExecutorOutput& output,
                                      const StepContext& context) const {
    if (options_.rewrites.empty()) return PropertyMap();
    if (!output.train_complete) {
      if (options_.on_line) {
        options_.on_line("rewrite: not done, as the training was cut short");
      }
      return PropertyMap();
    }
    RK_ASSIGN_OR_RETURN(
        const std::vector<RewrittenModel> rewritten,
        RewriteModel(RewritingOf(options_), context.output_dirs.at("model"),
                     options_.skip_validation ? std::vector<std::string>()
                                              : input.eval_files,
                     context));
    return PropertyMap{{"rewritten", StringValue(ToJson(rewritten).dump())}};
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
                 {"schema", "Schema", options.schema,
                  /*required=*/NeedsSchema(options), /*single=*/true},
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
  spec.key_fields = TrainCodeFields(options, spec.watched);
  if (options.skip_validation) spec.key_fields["validation"] = "skipped";
  if (!options.module_file.empty()) {
    spec.parameters["module_file"] = StringValue(options.module_file);
    spec.immaterial_parameters.insert("module_file");  // its contents count
  }
  if (!options.rewrites.empty()) {
    spec.parameters["rewrite"] =
        StringValue(nlohmann::json(options.rewrites).dump());
    spec.key_fields.merge(RewriteFields(RewritingOf(options), spec.watched));
  }
  return std::make_unique<Train>(std::move(options));
}

}  // namespace rekindle
