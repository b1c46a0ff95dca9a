#ifndef REKINDLE_TRAINING_OPTIMIZER_H_
#define REKINDLE_TRAINING_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/ops.h"

namespace rekindle {

// A variable that an optimizer keeps for one of the model's.
struct SlotSpec {
  VariableSpec variable;    // named "<variable>/<slot>", not trainable
  float initial_value = 0;  // of each entry,
  std::string copy_of;      // or, if named, the first value of this variable
};

// How a step changes the variables. It adds itself to graphs and holds no
// values. Thread-safe: it never changes.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // What it keeps for the trainable ones of `variables`.
  virtual std::vector<SlotSpec> Slots(
      const std::vector<VariableSpec>& variables) const = 0;

  // Names of the numbers that change from step to step, and their values at
  // global step `step` (from 0), in that order. The graph gets them as scalars.
  virtual std::vector<std::string> ScalarNames() const = 0;
  virtual std::vector<float> Scalars(int64_t step) const = 0;

  virtual double LearningRate(int64_t step) const = 0;

  // Adds what changes the variables by `gradients`, which have been summed over
  // all replicas; `scalars` are by name. The variables and their slots must
  // have been added to `graph`. Returns the operations of the step.
  virtual std::vector<tensorflow::Operation> Apply(
      GraphBuilder& graph, std::vector<Gradient> gradients,
      const NamedOutputs& scalars) const = 0;

  // The slot to evaluate and export instead of `variable` (its moving
  // average); empty: the variable itself.
  virtual std::string AverageOf(const VariableSpec& /*variable*/) const {
    return "";
  }
};

// The optimizer and the learning rate that `config` names, on gradients clipped
// as it says, with moving averages of the weights if it has `ema`.
//
//   INVALID_ARGUMENT  there is no such optimizer or schedule (the nearest name
//                     is suggested), or a value makes no sense
absl::StatusOr<std::unique_ptr<Optimizer>> MakeOptimizer(
    const OptimizationConfig& config);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_OPTIMIZER_H_
