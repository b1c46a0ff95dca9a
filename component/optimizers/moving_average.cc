#include "component/optimizers/moving_average.h"

#include <algorithm>
#include <cstdint>

#include "component/optimizers/update_rule.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/ops/training_ops.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::Scope;

constexpr char kScalar[] = "average_change";

double Decay(const EmaConfig& config, int64_t steps_made) {
  if (steps_made < config.start_step) return 0;
  if (!config.dynamic_decay) return config.average_decay;
  const auto averaged = static_cast<double>(steps_made - config.start_step);
  return std::min(config.average_decay, (1 + averaged) / (10 + averaged));
}

}  // namespace

std::string MovingAverage::SlotOf(const std::string& variable) {
  return SlotName(variable, "ExponentialMovingAverage");
}

SlotSpec MovingAverage::Slot(const VariableSpec& variable) const {
  return {.variable = {SlotOf(variable.name), variable.shape, false},
          .initial_value = 0,
          .copy_of = variable.name};
}

StepScalar MovingAverage::Scalar() const {
  return {kScalar, [config = config_](int64_t step, double) {
            return 1 - Decay(config, step + 1);
          }};
}

Operation MovingAverage::Add(const GraphBuilder& graph,
                             const std::string& variable,
                             const Operation& update,
                             const NamedOutputs& scalars) const {
  const Scope after = graph.scope().WithControlDependencies({update});
  const Output value =
      ops::ReadVariableOp(after, graph.Handle(variable), tensorflow::DT_FLOAT);
  const Output handle = graph.Handle(SlotOf(variable));
  const Output average =
      ops::ReadVariableOp(graph.scope(), handle, tensorflow::DT_FLOAT);
  return ops::ResourceApplyGradientDescent(
      graph.scope(), handle, scalars.at(kScalar),
      ops::Sub(graph.scope(), average, value));
}

}  // namespace rekindle
