#include "component/tasks/tabular_task.h"

#include <cstdint>
#include <utility>

#include "base/status_macros.h"
#include "component/input/example_stream.h"
#include "component/tasks/normalization.h"
#include "component/tasks/tabular_model.h"
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

}  // namespace

TabularTask::TabularTask(const TabularConfig& config, SchemaFeatures features,
                         int64_t seed)
    : config_(config), features_(std::move(features)), seed_(seed) {}

absl::StatusOr<std::unique_ptr<Task>> TabularTask::Make(
    const TabularConfig& config, LabelUse label_use, int64_t seed) {
  if (!config.transform_graph_path.empty()) {
    return absl::UnimplementedError(
        "task.transform_graph_path is set, but this task takes examples as "
        "they are");
  }
  RK_ASSIGN_OR_RETURN(
      SchemaFeatures features,
      ReadSchemaFeatures(config.schema_path, config.Features(label_use)));
  return std::unique_ptr<Task>(
      new TabularTask(config, std::move(features), seed));
}

absl::StatusOr<std::unique_ptr<Dataset>> TabularTask::BuildInputs(
    const DataConfig& data, const InputContext& context) {
  return OpenExampleStream(data, features_.spec, context,
                           static_cast<uint64_t>(seed_));
}

absl::StatusOr<std::unique_ptr<Model>> TabularTask::BuildModel() {
  return std::make_unique<TabularModel>(features_.spec,
                                        config_.model.Architecture());
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
    DataConfig once = config_.train_data;
    once.is_training = false;
    once.drop_remainder = false;
    once.global_batch_size = kMeasuredBatch;
    RK_ASSIGN_OR_RETURN(const auto data, BuildInputs(once, InputContext()));
    RK_ASSIGN_OR_RETURN(const Moments moments,
                        MeasureNumeric(*data, kMostMeasured));
    (*values)[kMean] = moments.Mean();
    (*values)[kVariance] = moments.Variance();
  }
  return Task::Initialize(model, values, report);
}

}  // namespace rekindle
