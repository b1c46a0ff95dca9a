#include "component/steps/evaluate.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/blessing/eval_config.h"
#include "component/blessing/evaluation_files.h"
#include "component/blessing/judge.h"
#include "component/cache/content_digest.h"
#include "component/contract/evaluation_output.h"
#include "component/launch/failure.h"
#include "component/launch/step_child.h"
#include "component/launch/tfx_names.h"
#include "component/steps/blessing_artifact.h"
#include "component/steps/child_answer.h"
#include "component/steps/proto_json.h"
#include "component/steps/splits.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

constexpr char kModelKey[] = "model";
constexpr char kBaselineKey[] = "baseline_model";
constexpr char kEvaluationKey[] = "evaluation";
constexpr char kBlessingKey[] = "blessing";
constexpr char kChild[] = "the evaluator";

class Evaluate : public Executor {
 public:
  Evaluate(EvaluateOptions options, EvaluationPlan plan)
      : options_(std::move(options)), plan_(std::move(plan)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    RK_ASSIGN_OR_RETURN(const EvaluationInput input, MakeInput(context));
    RK_ASSIGN_OR_RETURN(const EvaluationOutput output, Measure(input, context));
    RK_ASSIGN_OR_RETURN(
        Judgement judgement,
        Judge(plan_.bounds, output.models.front(),
              output.models.size() > 1 ? &output.models[1] : nullptr));
    RK_RETURN_IF_ERROR(
        WriteBlessing(judgement.verdict, context.output_dirs.at(kBlessingKey)));
    const Evaluation evaluation = Describe(input, output, std::move(judgement));
    RK_RETURN_IF_ERROR(
        WriteEvaluation(evaluation, context.output_dirs.at(kEvaluationKey)));
    return MakeResult(evaluation, output, context);
  }

 private:
  absl::StatusOr<EvaluationInput> MakeInput(const StepContext& context) const {
    EvaluationInput input;
    for (const auto& [key, name] : {std::pair(kModelKey, "candidate"),
                                    std::pair(kBaselineKey, "baseline")}) {
      const Artifact* model = context.FindInput(key);
      if (model == nullptr) continue;
      RK_ASSIGN_OR_RETURN(std::string folder, ServingModelDir(*model));
      input.models.push_back({name, std::move(folder)});
    }
    RK_ASSIGN_OR_RETURN(input.examples,
                        SplitPatterns(context.inputs.at("examples"), Splits()));
    if (const Artifact* schema = context.FindInput("schema")) {
      RK_ASSIGN_OR_RETURN(input.schema_path, OnlyFileIn(*schema));
    }
    input.label_key = plan_.label_key;
    input.signature = plan_.signature;
    input.prediction_key = plan_.prediction_key;
    input.prediction_kind = options_.prediction_kind;
    input.slices = plan_.slices;
    input.output_path = JoinPath(context.attempt_dir, "executor_output.json");
    return input;
  }

  std::vector<std::string> Splits() const {
    if (options_.splits.empty()) return {"eval"};
    return options_.splits;
  }

  absl::StatusOr<EvaluationOutput> Measure(const EvaluationInput& input,
                                           const StepContext& context) const {
    const std::string input_path =
        JoinPath(context.attempt_dir, "executor_input.json");
    RK_RETURN_IF_ERROR(WriteEvaluationInput(input, input_path));
    const absl::Status ended = RunEvaluator(input_path, context);
    if (!IsWorthReading(ended)) return ended;
    absl::StatusOr<EvaluationOutput> output =
        ReadEvaluationOutput(input.output_path);
    if (output.ok() && output->error.has_value()) {
      return StatusOf(*output->error);
    }
    RK_RETURN_IF_ERROR(ended);
    if (!output.ok()) return UnreadableAnswer(output.status(), kChild);
    RK_RETURN_IF_ERROR(CheckAnswer(input, *output));
    return output;
  }

  absl::Status RunEvaluator(const std::string& input_path,
                            const StepContext& context) const {
    StepChild child;
    child.name = kChild;
    child.argv = {options_.trainer_binary, "--mode=evaluate",
                  absl::StrCat("--executor_input=", input_path)};
    if (options_.on_line) child.on_line = options_.on_line;
    child.grace = options_.grace;
    absl::Status ended = RunStepChild(child, context);
    if (ended.ok() || ReasonOf(ended) != FailureReason::kChildCannotStart) {
      return ended;
    }
    return WithNote(ended, kNamesTrainer);
  }

  static absl::Status CheckAnswer(const EvaluationInput& input,
                                  const EvaluationOutput& output) {
    if (output.models.size() == input.models.size()) return absl::OkStatus();
    return UnreadableAnswer(absl::InvalidArgumentError(absl::StrCat(
                                "it speaks of ", output.models.size(),
                                " models, not ", input.models.size())),
                            kChild);
  }

  Evaluation Describe(const EvaluationInput& input,
                      const EvaluationOutput& output,
                      Judgement judgement) const {
    Evaluation evaluation;
    evaluation.config =
        WithDefaults(options_.config, /*has_baseline=*/input.models.size() > 1);
    evaluation.models = output.models;
    evaluation.judgement = std::move(judgement);
    evaluation.data_location = absl::StrJoin(input.examples, ",");
    for (const EvaluatedModel& model : input.models) {
      evaluation.model_locations[input.models.size() > 1 ? model.name : ""] =
          model.folder;
    }
    return evaluation;
  }

  static StepResult MakeResult(const Evaluation& evaluation,
                               const EvaluationOutput& output,
                               const StepContext& context) {
    StepResult result;
    PropertyMap& measured = result.outputs[kEvaluationKey].custom_properties;
    // The first slice is that of all examples.
    for (const auto& [name, value] :
         evaluation.models.front().slices.front().metrics) {
      measured[name] = DoubleValue(value);
    }
    result.outputs[kBlessingKey].custom_properties = BlessingProperties(
        evaluation.judgement.verdict, evaluation.judgement.reason,
        *context.FindInput(kModelKey), context.FindInput(kBaselineKey));
    for (const auto& [name, value] : output.environment) {
      result.execution_properties[name] = StringValue(value);
    }
    return result;
  }

  const EvaluateOptions options_;
  const EvaluationPlan plan_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeEvaluate(EvaluateOptions options,
                                                       StepSpec& spec) {
  RK_ASSIGN_OR_RETURN(EvaluationPlan plan, ReadEvalConfig(options.config));
  spec.execution_type = EvaluatorType();
  InputSpec model = {kModelKey, "Model", options.model};
  model.single = true;
  model.names_outputs = true;
  InputSpec baseline = {kBaselineKey, "Model", options.baseline_model};
  baseline.required = false;
  baseline.single = true;
  baseline.names_outputs = true;
  spec.inputs = {{"examples", "Examples", options.examples}, model, baseline};
  if (!IsNone(options.schema)) {
    spec.inputs.push_back({"schema", "Schema", options.schema,
                           /*required=*/true, /*single=*/true});
  }
  spec.outputs = {{kEvaluationKey, ModelEvaluationType()},
                  {kBlessingKey, ModelBlessingType()}};
  spec.parameters = {
      {"eval_config", StringValue(ToIndentedJson(options.config))},
      {"example_splits",
       StringValue(options.splits.empty() ? "null"
                                          : ToPythonJson(options.splits))},
      {"fairness_indicator_thresholds", StringValue("null")}};
  if (options.prediction_kind != PredictionKind::kAuto) {
    spec.parameters["prediction_kind"] =
        StringValue(PredictionKindName(options.prediction_kind));
  }
  spec.key_fields = {
      {"code.trainer", ProgramDigest(options.trainer_binary, spec.watched)}};
  return std::make_unique<Evaluate>(std::move(options), std::move(plan));
}

}  // namespace rekindle
