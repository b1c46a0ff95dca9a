#include "component/tasks/tabular_task.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/input/example_stream.h"
#include "component/tasks/normalization.h"
#include "component/tasks/tabular_model.h"
#include "component/tasks/transformed_model.h"
#include "rekindle/training/metrics.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/nn_ops.h"
#include "tensorflow/cc/ops/nn_ops_internal.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

// Mean and variance of this many examples are good enough.
constexpr int64_t kMostMeasured = 1 << 18;
constexpr int64_t kMeasuredBatch = 1024;
constexpr int64_t kMeasuredFiles = 8;

// What `data` has, once: of several files at a time, for all threads to read
// and for a part of the examples to be of all of them. Nothing is kept.
DataConfig OnceThrough(DataConfig data) {
  data.is_training = false;
  data.drop_remainder = false;
  data.global_batch_size = kMeasuredBatch;
  data.cycle_length = kMeasuredFiles;
  data.cache = false;
  data.ram_budget = 1;
  return data;
}

// Of `features` what has a mean and a variance.
FeatureSpec NumericOnly(const FeatureSpec& features) {
  FeatureSpec numeric;
  numeric.numeric = features.numeric;
  return numeric;
}

absl::Status MadeFromLabel(const std::string& name, const std::string& label) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the transform graph makes the feature '", name, "' from the label '",
      label,
      "', which is not there when the model serves; leave it out with "
      "task.features.",
      name, ".ignore=true"));
}

// Says why a model of `features` could not serve raw examples.
absl::Status CheckTransform(const TransformGraph& transform,
                            const FeatureSpec& features) {
  const std::set<std::string> names = FeatureNames(features);
  for (const std::string& name : names) {
    if (transform.outputs.contains(name)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the transform graph in '", transform.folder,
        "' does not make the feature '", name, "' of its own schema"));
  }
  const std::string& label = features.label->name;
  if (!transform.InputsOf(names).contains(label)) return absl::OkStatus();
  for (const std::string& name : names) {
    if (transform.InputsOf({name}).contains(label)) {
      return MadeFromLabel(name, label);
    }
  }
  return absl::OkStatus();
}

}  // namespace

TabularTask::TabularTask(const TabularConfig& config, SchemaFeatures features,
                         std::shared_ptr<const TransformGraph> transform,
                         int64_t seed)
    : config_(config),
      features_(std::move(features)),
      transform_(std::move(transform)),
      seed_(seed) {}

absl::StatusOr<std::unique_ptr<Task>> TabularTask::Make(
    const TabularConfig& config, LabelUse label_use, int64_t seed) {
  const std::string& folder = config.transform_graph_path;
  std::shared_ptr<const TransformGraph> transform;
  std::string schema_path = config.schema_path;
  if (!folder.empty()) {
    RK_ASSIGN_OR_RETURN(TransformGraph read, ReadTransformGraph(folder));
    transform = std::make_shared<const TransformGraph>(std::move(read));
    schema_path = TransformedSchemaPath(folder);
  }
  RK_ASSIGN_OR_RETURN(
      SchemaFeatures features,
      ReadSchemaFeatures(schema_path, config.Features(label_use)));
  if (transform != nullptr) {
    RK_RETURN_IF_ERROR(CheckTransform(*transform, features.spec));
  }
  return std::unique_ptr<Task>(
      new TabularTask(config, std::move(features), std::move(transform), seed));
}

absl::StatusOr<std::unique_ptr<Dataset>> TabularTask::BuildInputs(
    const DataConfig& data, const InputContext& context) {
  return OpenExampleStream(data, features_.spec, context,
                           static_cast<uint64_t>(seed_));
}

absl::StatusOr<std::unique_ptr<Model>> TabularTask::BuildModel() {
  const TabularArchitecture architecture = config_.model.Architecture();
  if (transform_ == nullptr) {
    return std::make_unique<TabularModel>(features_.spec, architecture);
  }
  return std::make_unique<TransformedModel>(features_.spec, architecture,
                                            transform_);
}

Output TabularTask::BuildLosses(const Scope& scope, const NamedOutputs& inputs,
                                const NamedOutputs& model_outputs) {
  const Output& labels = inputs.at(kLabelTensor);
  if (!features_.spec.label->is_class()) {
    const Output errors =
        ops::SquaredDifference(scope, model_outputs.at(kPredictions), labels);
    return ops::Mean(scope, errors, 0);
  }
  const ops::SparseSoftmaxCrossEntropyWithLogits losses(
      scope, model_outputs.at(kLogits), labels);
  return ops::Mean(scope, losses.loss, 0);
}

std::vector<std::unique_ptr<Metric>> TabularTask::BuildMetrics(bool training) {
  std::vector<std::unique_ptr<Metric>> metrics;
  const LabelFeature& label = *features_.spec.label;
  if (!label.is_class()) {
    const RegressionInputs inputs{kLabelTensor, kPredictions};
    metrics.push_back(MakeMeanAbsoluteError(inputs));
    metrics.push_back(MakeMeanSquaredError(inputs));
    return metrics;
  }
  const ClassificationInputs inputs{kLabelTensor, kScores, label.classes};
  metrics.push_back(MakeAccuracy(inputs));
  if (training) return metrics;
  metrics.push_back(MakeAuc(inputs));
  metrics.push_back(MakePrecisionAndRecall(inputs));
  metrics.push_back(MakeLogLoss(inputs));
  return metrics;
}

absl::Status TabularTask::Initialize(const Model& model, NamedTensors* values,
                                     RestoreReport* report) {
  if (!features_.spec.numeric.empty()) {
    RK_ASSIGN_OR_RETURN(
        const auto data,
        OpenExampleStream(OnceThrough(config_.train_data),
                          NumericOnly(features_.spec), InputContext(),
                          static_cast<uint64_t>(seed_)));
    RK_ASSIGN_OR_RETURN(const Moments moments,
                        MeasureNumeric(*data, kMostMeasured));
    (*values)[kMean] = moments.Mean();
    (*values)[kVariance] = moments.Variance();
  }
  return Task::Initialize(model, values, report);
}

}  // namespace rekindle
