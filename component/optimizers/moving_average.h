#ifndef REKINDLE_COMPONENT_OPTIMIZERS_MOVING_AVERAGE_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_MOVING_AVERAGE_H_

#include <string>
#include <utility>

#include "component/optimizers/step_scalar.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/ops.h"

namespace rekindle {

// An average of a variable's values over the steps, in a slot of its own:
// average -= (1 - decay) * (average - variable) after each step. Model
// Garden's, except that it begins with the variable's first value and not with
// zeros. Thread-safe: it never changes.
class MovingAverage {
 public:
  explicit MovingAverage(EmaConfig config) : config_(std::move(config)) {}

  static std::string SlotOf(const std::string& variable);

  SlotSpec Slot(const VariableSpec& variable) const;

  // 1 - decay.
  StepScalar Scalar() const;

  // Adds what moves the average of `variable` after `update` has changed it.
  tensorflow::Operation Add(const GraphBuilder& graph,
                            const std::string& variable,
                            const tensorflow::Operation& update,
                            const NamedOutputs& scalars) const;

 private:
  EmaConfig config_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_MOVING_AVERAGE_H_
