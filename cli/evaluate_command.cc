#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/trainer_program.h"
#include "component/blessing/bound.h"
#include "component/blessing/eval_config.h"
#include "component/contract/evaluation_input.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/blessing_artifact.h"
#include "component/steps/evaluate.h"
#include "component/steps/proto_json.h"
#include "metadata/api/values.h"
#include "tensorflow_model_analysis/proto/config.pb.h"

namespace rekindle {
namespace {

using tensorflow_model_analysis::EvalConfig;

// The flags of `evaluate`, before they are understood.
struct EvaluateFlags {
  std::string model = "latest";
  std::string examples = "latest";
  std::string baseline_model;
  std::string schema = "none";
  std::string eval_config = "{}";
  std::string label_key;
  std::string signature;
  std::string prediction_key;
  std::string prediction_kind = "auto";
  std::vector<std::string> splits;
  std::vector<std::string> slices;
  std::vector<std::string> thresholds;
  std::vector<std::string> slice_thresholds;
  std::vector<std::string> comparisons;
  bool fail_if_not_blessed = false;
  std::string trainer = TrainerBesideUs();
  absl::Duration grace = absl::Seconds(25);

  void Bind(FlagSet& flags);
};

void EvaluateFlags::Bind(FlagSet& flags) {
  flags.String("model", "REF", &model,
               absl::StrCat("the model to measure: ", kArtifactRefForms));
  flags.String("examples", "REF", &examples, "what to measure it on");
  flags.String("baseline-model", "REF", &baseline_model,
               "the model to compare it with (default: latest-blessed if "
               "something is compared, else none)");
  flags.String("schema", "REF", &schema,
               "names the classes of a model that does not name them itself");
  flags.String("label-key", "NAME", &label_key, "the feature to predict");
  flags.Strings("split", "NAME", &splits,
                "a split to measure on (default: eval)");
  flags.Strings("slice", "FEATURE[=VALUE]", &slices,
                "measure the examples of each value, or of this one, apart; "
                "features with commas between them are crossed");
  flags.Strings("threshold", "METRIC>=NUMBER", &thresholds,
                "bless the model only if this holds over all examples; <= for "
                "what should be low");
  flags.Strings("slice-threshold", "METRIC>=NUMBER", &slice_thresholds,
                "and only if this holds in every slice");
  flags.Strings("compare", "METRIC>=CHANGE", &comparisons,
                "and only if its metric minus the baseline's is at least "
                "this, as accuracy>=-0.01 or accuracy>=-1%");
  flags.String("eval-config", "JSON", &eval_config,
               "an EvalConfig of TensorFlow Model Analysis; the flags add to "
               "it");
  flags.String("signature", "NAME", &signature,
               "what of the model to ask (default: serving_default)");
  flags.String("prediction-key", "NAME", &prediction_key,
               "the output of the model that is measured (default: found out)");
  flags.String("prediction-kind", "KIND", &prediction_kind,
               absl::StrCat("what it holds: ", kPredictionKinds));
  flags.Bool("fail-if-not-blessed", &fail_if_not_blessed,
             "exit with 1 if the model is not blessed");
  flags.String("trainer", "PROGRAM", &trainer, "the program that measures");
  flags.Duration("grace", &grace, "time to end when stopped, then SIGKILL");
}

// Adds the bounds that are given by flag `name`.
template <typename Parse>
absl::Status AddBounds(const std::string& name,
                       const std::vector<std::string>& texts,
                       const std::vector<SliceSpec>& slices, Parse parse,
                       EvalConfig& config) {
  for (const std::string& text : texts) {
    absl::StatusOr<Bound> bound = parse(text);
    if (!bound.ok()) {
      return WithContext(bound.status(), absl::StrCat("--", name));
    }
    for (const SliceSpec& slice : slices) {
      bound->slices = slice;
      AddBound(*bound, config);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<SliceSpec>> ParseSlices(
    const std::vector<std::string>& texts) {
  std::vector<SliceSpec> slices;
  for (const std::string& text : texts) {
    absl::StatusOr<SliceSpec> slice = ParseSlice(text);
    if (!slice.ok()) return WithContext(slice.status(), "--slice");
    slices.push_back(*std::move(slice));
  }
  return slices;
}

void SetModel(const EvaluateFlags& flags, EvalConfig& config) {
  if (config.model_specs().empty()) config.add_model_specs();
  for (auto& spec : *config.mutable_model_specs()) {
    if (!flags.label_key.empty()) spec.set_label_key(flags.label_key);
    if (!flags.signature.empty()) spec.set_signature_name(flags.signature);
    if (!flags.prediction_key.empty()) {
      spec.set_prediction_key(flags.prediction_key);
    }
  }
}

// The config that is given, and what the flags add to it.
absl::StatusOr<EvalConfig> MakeConfig(const EvaluateFlags& flags) {
  EvalConfig config;
  RK_RETURN_IF_ERROR(FromJson("--eval-config", flags.eval_config, config));
  SetModel(flags, config);
  RK_ASSIGN_OR_RETURN(const std::vector<SliceSpec> slices,
                      ParseSlices(flags.slices));
  for (const SliceSpec& slice : slices) AddSlice(slice, config);
  if (slices.empty() && !flags.slice_thresholds.empty()) {
    return absl::InvalidArgumentError(
        "--slice-threshold is given without --slice");
  }
  const std::vector<SliceSpec> all = {SliceSpec{}};
  RK_RETURN_IF_ERROR(
      AddBounds("threshold", flags.thresholds, all, ParseThreshold, config));
  RK_RETURN_IF_ERROR(AddBounds("slice-threshold", flags.slice_thresholds,
                               slices, ParseThreshold, config));
  RK_RETURN_IF_ERROR(
      AddBounds("compare", flags.comparisons, all, ParseComparison, config));
  return config;
}

// With what to compare: as it is given, or what is blessed if something is
// compared.
absl::StatusOr<ArtifactRef> BaselineRef(const EvaluateFlags& flags,
                                        const EvalConfig& config) {
  if (!flags.baseline_model.empty()) {
    return RefFromFlag("baseline-model", flags.baseline_model);
  }
  RK_ASSIGN_OR_RETURN(const EvaluationPlan plan, ReadEvalConfig(config));
  const bool compares =
      std::any_of(plan.bounds.begin(), plan.bounds.end(),
                  [](const Bound& bound) { return bound.is_comparison(); });
  if (compares) return ArtifactRef{ArtifactRef::LatestBlessed{}};
  return ArtifactRef{ArtifactRef::None{}};
}

absl::StatusOr<EvaluateOptions> MakeOptions(const EvaluateFlags& flags) {
  EvaluateOptions options;
  RK_ASSIGN_OR_RETURN(options.config, MakeConfig(flags));
  RK_ASSIGN_OR_RETURN(options.model, RefFromFlag("model", flags.model));
  RK_ASSIGN_OR_RETURN(options.examples,
                      RefFromFlag("examples", flags.examples));
  RK_ASSIGN_OR_RETURN(options.baseline_model,
                      BaselineRef(flags, options.config));
  RK_ASSIGN_OR_RETURN(options.schema, RefFromFlag("schema", flags.schema));
  absl::StatusOr<PredictionKind> kind =
      ParsePredictionKind(flags.prediction_kind);
  if (!kind.ok()) return WithContext(kind.status(), "--prediction-kind");
  options.prediction_kind = *kind;
  options.splits = flags.splits;
  options.trainer_binary = flags.trainer;
  options.grace = flags.grace;
  options.on_line = [](absl::string_view line) { std::cerr << line << '\n'; };
  return options;
}

bool IsBlessed(const StepReport& report) {
  return std::any_of(report.outputs.begin(), report.outputs.end(),
                     [](const StepReport::Output& output) {
                       return CustomInt(output.artifact, kBlessedProperty) == 1;
                     });
}

}  // namespace

int EvaluateCommand(const Arguments& arguments) {
  StepFlags step("Evaluator");
  EvaluateFlags evaluate;
  FlagSet flags(
      "evaluate --pipeline=NAME --label-key=NAME [flags]",
      "Measures a model over a split and its slices, and blesses it if it "
      "keeps the\nthresholds. The answer may be no: that is not a failure.",
      "rekindle evaluate --pipeline=penguin --label-key=species "
      "--slice=island --threshold='accuracy>=0.9' --compare='accuracy>=-0.01'");
  evaluate.Bind(flags);
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  return RunStep(
      step,
      [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(EvaluateOptions options, MakeOptions(evaluate));
        return MakeEvaluate(std::move(options), spec);
      },
      [&](const StepReport& report) {
        return !evaluate.fail_if_not_blessed || IsBlessed(report) ? kOk
                                                                  : kFailed;
      });
}

}  // namespace rekindle
