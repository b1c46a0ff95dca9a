#include "rekindle/training/task.h"

#include <utility>

#include "base/status_macros.h"
#include "component/training/initialization.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"

namespace rekindle {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

Output Task::BuildLosses(const Scope& scope, const NamedOutputs& /*inputs*/,
                         const NamedOutputs& /*model_outputs*/) {
  return ops::Const(scope, 0.0f);
}

std::vector<std::unique_ptr<Metric>> Task::BuildMetrics(bool /*training*/) {
  return {};
}

void Task::TrainStep(StepGraph& graph, const NamedOutputs& inputs,
                     const Model& model) {
  const NamedOutputs outputs = model.Call(graph, inputs, /*training=*/true);
  const Output loss = BuildLosses(graph.scope(), inputs, outputs);
  graph.SetLoss(loss);
  // The gradients of all replicas are summed: each brings its share of the
  // mean.
  const Output share =
      graph.replicas() == 1
          ? loss
          : ops::Multiply(graph.scope(), loss,
                          1.0f / static_cast<float>(graph.replicas()))
                .z;
  graph.ApplyGradients(graph.Gradients(share));
  for (const auto& [name, output] : outputs) graph.Put(name, output);
}

void Task::ValidationStep(StepGraph& graph, const NamedOutputs& inputs,
                          const Model& model) {
  const NamedOutputs outputs = model.Call(graph, inputs, /*training=*/false);
  graph.SetLoss(BuildLosses(graph.scope(), inputs, outputs));
  for (const auto& [name, output] : outputs) graph.Put(name, output);
}

absl::Status Task::Initialize(const Model& model, NamedTensors* values,
                              RestoreReport* report) {
  return InitializeFrom(config(), model, values, report);
}

absl::Status Task::AggregateLogs(const NamedTensors& /*step*/,
                                 std::shared_ptr<void>* /*state*/) {
  return absl::OkStatus();
}

absl::StatusOr<Logs> Task::ReduceAggregatedLogs(
    const std::shared_ptr<void>& /*state*/, int64_t /*global_step*/) {
  return Logs();
}

absl::StatusOr<std::unique_ptr<Optimizer>> Task::CreateOptimizer(
    const OptimizationConfig& config, const RuntimeConfig& /*runtime*/) {
  return MakeOptimizer(config);
}

}  // namespace rekindle
