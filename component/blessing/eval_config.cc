#include "component/blessing/eval_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using tensorflow_model_analysis::EvalConfig;
using tensorflow_model_analysis::GenericChangeThreshold;
using tensorflow_model_analysis::GenericValueThreshold;
using tensorflow_model_analysis::MetricConfig;
using tensorflow_model_analysis::MetricsSpec;
using tensorflow_model_analysis::MetricThreshold;
using tensorflow_model_analysis::ModelSpec;
using tensorflow_model_analysis::PerSliceMetricThreshold;
using tensorflow_model_analysis::SlicingSpec;

struct MetricClass {
  absl::string_view name;    // of Keras or TensorFlow Model Analysis
  absl::string_view metric;  // ours
};

constexpr std::array<MetricClass, 16> kMetricClasses = {{
    {"AUC", "auc"},
    {"Accuracy", "accuracy"},
    {"BinaryAccuracy", "accuracy"},
    {"BinaryCrossEntropy", "log_loss"},
    {"BinaryCrossentropy", "log_loss"},
    {"CategoricalAccuracy", "accuracy"},
    {"CategoricalCrossentropy", "log_loss"},
    {"ExampleCount", "example_count"},
    {"MeanAbsoluteError", "mae"},
    {"MeanSquaredError", "mse"},
    {"Precision", "precision"},
    {"Recall", "recall"},
    {"SparseCategoricalAccuracy", "accuracy"},
    {"SparseCategoricalCrossEntropy", "log_loss"},
    {"SparseCategoricalCrossentropy", "log_loss"},
    {"WeightedExampleCount", "example_count"},
}};

absl::Status NotSupported(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the evaluation config has ", what, ", which is not supported"));
}

absl::StatusOr<std::string> MetricOfClass(const MetricConfig& config) {
  if (!config.config().empty()) {
    return NotSupported(
        absl::StrCat("a config of metric ", config.class_name()));
  }
  std::vector<std::string> names;
  for (const MetricClass& known : kMetricClasses) {
    if (known.name == config.class_name()) return std::string(known.metric);
    names.emplace_back(known.name);
  }
  const std::optional<std::string> nearest =
      NearestName(config.class_name(), names);
  return NotSupported(absl::StrCat(
      "the metric '", config.class_name(), "'",
      nearest.has_value() ? absl::StrCat(" (the nearest one is ", *nearest, ")")
                          : ""));
}

absl::StatusOr<SliceSpec> ToSlice(const SlicingSpec& proto) {
  if (!proto.slice_keys_sql().empty()) return NotSupported("slice_keys_sql");
  SliceSpec slice;
  slice.features = {proto.feature_keys().begin(), proto.feature_keys().end()};
  slice.values = {proto.feature_values().begin(), proto.feature_values().end()};
  return slice;
}

void AddValueBounds(const GenericValueThreshold& threshold, Bound bound,
                    std::vector<Bound>& bounds) {
  if (threshold.has_lower_bound()) {
    bound.side = Bound::Side::kAtLeast;
    bound.limit = threshold.lower_bound().value();
    bounds.push_back(bound);
  }
  if (threshold.has_upper_bound()) {
    bound.side = Bound::Side::kAtMost;
    bound.limit = threshold.upper_bound().value();
    bounds.push_back(bound);
  }
}

absl::Status AddChangeBounds(const GenericChangeThreshold& threshold,
                             Bound bound, std::vector<Bound>& bounds) {
  if (threshold.direction() == tensorflow_model_analysis::UNKNOWN) {
    return absl::InvalidArgumentError(
        absl::StrCat("the change threshold of '", bound.metric,
                     "' has no direction, expected HIGHER_IS_BETTER or "
                     "LOWER_IS_BETTER"));
  }
  bound.side =
      threshold.direction() == tensorflow_model_analysis::HIGHER_IS_BETTER
          ? Bound::Side::kAtLeast
          : Bound::Side::kAtMost;
  if (threshold.has_absolute()) {
    bound.of = Bound::Of::kChange;
    bound.limit = threshold.absolute().value();
    bounds.push_back(bound);
  }
  if (threshold.has_relative()) {
    bound.of = Bound::Of::kRelativeChange;
    bound.limit = threshold.relative().value();
    bounds.push_back(bound);
  }
  return absl::OkStatus();
}

absl::Status AddBounds(const std::string& metric,
                       const MetricThreshold& threshold,
                       const std::optional<SliceSpec>& slices,
                       std::vector<Bound>& bounds) {
  Bound bound;
  bound.metric = metric;
  bound.slices = slices;
  if (threshold.has_value_threshold()) {
    AddValueBounds(threshold.value_threshold(), bound, bounds);
  }
  if (!threshold.has_change_threshold()) return absl::OkStatus();
  return AddChangeBounds(threshold.change_threshold(), bound, bounds);
}

template <typename PerSlice>
absl::Status AddPerSlice(const std::string& metric, const PerSlice& thresholds,
                         std::vector<Bound>& bounds) {
  for (const PerSliceMetricThreshold& threshold : thresholds) {
    for (const SlicingSpec& spec : threshold.slicing_specs()) {
      RK_ASSIGN_OR_RETURN(const SliceSpec slice, ToSlice(spec));
      RK_RETURN_IF_ERROR(
          AddBounds(metric, threshold.threshold(), slice, bounds));
    }
  }
  return absl::OkStatus();
}

// Maps of a proto have no order of their own.
template <typename Map>
auto Sorted(const Map& map) {
  return std::map<std::string, typename Map::mapped_type>(map.begin(),
                                                          map.end());
}

absl::Status ReadMetrics(const MetricsSpec& spec, std::vector<Bound>& bounds) {
  if (!spec.output_names().empty()) return NotSupported("output_names");
  for (const MetricConfig& config : spec.metrics()) {
    RK_ASSIGN_OR_RETURN(const std::string metric, MetricOfClass(config));
    if (config.has_threshold()) {
      RK_RETURN_IF_ERROR(
          AddBounds(metric, config.threshold(), std::nullopt, bounds));
    }
    RK_RETURN_IF_ERROR(
        AddPerSlice(metric, config.per_slice_thresholds(), bounds));
  }
  for (const auto& [metric, threshold] : Sorted(spec.thresholds())) {
    RK_RETURN_IF_ERROR(AddBounds(metric, threshold, std::nullopt, bounds));
  }
  for (const auto& [metric, per_slice] : Sorted(spec.per_slice_thresholds())) {
    RK_RETURN_IF_ERROR(AddPerSlice(metric, per_slice.thresholds(), bounds));
  }
  return absl::OkStatus();
}

absl::Status ReadModel(const ModelSpec& spec, EvaluationPlan& plan) {
  const std::array<std::pair<const char*, bool>, 6> refused = {{
      {"label_keys", !spec.label_keys().empty()},
      {"prediction_keys", !spec.prediction_keys().empty()},
      {"example_weight_key", !spec.example_weight_key().empty()},
      {"example_weight_keys", !spec.example_weight_keys().empty()},
      {"preprocessing_function_names",
       !spec.preprocessing_function_names().empty()},
      {"signature_name eval", spec.signature_name() == "eval"},
  }};
  for (const auto& [what, given] : refused) {
    if (given) return NotSupported(what);
  }
  plan.label_key = spec.label_key();
  plan.prediction_key = spec.prediction_key();
  if (!spec.signature_name().empty()) plan.signature = spec.signature_name();
  return absl::OkStatus();
}

// The model that is evaluated; its baseline is read the same way.
absl::Status ReadModels(const EvalConfig& config, EvaluationPlan& plan) {
  for (const ModelSpec& spec : config.model_specs()) {
    if (!spec.is_baseline()) RK_RETURN_IF_ERROR(ReadModel(spec, plan));
  }
  if (!plan.label_key.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "it is not said which feature is the label; --label-key names it");
}

absl::Status CheckOptions(const EvalConfig& config) {
  if (config.options().compute_confidence_intervals().value()) {
    return NotSupported("compute_confidence_intervals");
  }
  if (config.options().min_slice_size().value() > 1) {
    return NotSupported("min_slice_size");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EvaluationPlan> ReadEvalConfig(const EvalConfig& config) {
  EvaluationPlan plan;
  RK_RETURN_IF_ERROR(CheckOptions(config));
  RK_RETURN_IF_ERROR(ReadModels(config, plan));
  for (const SlicingSpec& spec : config.slicing_specs()) {
    RK_ASSIGN_OR_RETURN(SliceSpec slice, ToSlice(spec));
    if (slice != SliceSpec{}) plan.slices.push_back(std::move(slice));
  }
  for (const MetricsSpec& spec : config.metrics_specs()) {
    RK_RETURN_IF_ERROR(ReadMetrics(spec, plan.bounds));
  }
  return plan;
}

SlicingSpec ToProto(const SliceSpec& slice) {
  SlicingSpec proto;
  proto.mutable_feature_keys()->Add(slice.features.begin(),
                                    slice.features.end());
  proto.mutable_feature_values()->insert(slice.values.begin(),
                                         slice.values.end());
  return proto;
}

MetricThreshold ToProto(const Bound& bound) {
  MetricThreshold threshold;
  const bool at_least = bound.side == Bound::Side::kAtLeast;
  if (!bound.is_comparison()) {
    GenericValueThreshold& value = *threshold.mutable_value_threshold();
    (at_least ? value.mutable_lower_bound() : value.mutable_upper_bound())
        ->set_value(bound.limit);
    return threshold;
  }
  GenericChangeThreshold& change = *threshold.mutable_change_threshold();
  change.set_direction(at_least ? tensorflow_model_analysis::HIGHER_IS_BETTER
                                : tensorflow_model_analysis::LOWER_IS_BETTER);
  (bound.of == Bound::Of::kChange ? change.mutable_absolute()
                                  : change.mutable_relative())
      ->set_value(bound.limit);
  return threshold;
}

void AddBound(const Bound& bound, EvalConfig& config) {
  if (config.metrics_specs().empty()) config.add_metrics_specs();
  MetricsSpec& spec = *config.mutable_metrics_specs(0);
  if (!bound.slices.has_value()) {
    (*spec.mutable_thresholds())[bound.metric] = ToProto(bound);
    return;
  }
  PerSliceMetricThreshold& threshold =
      *(*spec.mutable_per_slice_thresholds())[bound.metric].add_thresholds();
  *threshold.add_slicing_specs() = ToProto(*bound.slices);
  *threshold.mutable_threshold() = ToProto(bound);
}

void AddSlice(const SliceSpec& slice, EvalConfig& config) {
  if (config.slicing_specs().empty()) config.add_slicing_specs();
  *config.add_slicing_specs() = ToProto(slice);
}

EvalConfig WithDefaults(EvalConfig config, bool has_baseline) {
  if (config.slicing_specs().empty()) config.add_slicing_specs();
  if (config.metrics_specs().empty()) {
    config.add_metrics_specs()->add_metrics()->set_class_name("ExampleCount");
  }
  if (has_baseline && config.model_specs_size() == 1) {
    config.mutable_model_specs(0)->set_name("candidate");
    ModelSpec baseline = config.model_specs(0);
    baseline.set_name("baseline");
    baseline.set_is_baseline(true);
    *config.add_model_specs() = baseline;
  }
  return config;
}

}  // namespace rekindle
