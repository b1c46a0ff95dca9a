#ifndef REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULE_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULE_H_

#include <string>
#include <vector>

#include "component/optimizers/step_scalar.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"

namespace rekindle {

// What sets one optimizer apart from the others: how a variable changes by its
// gradient. Thread-safe: it never changes.
class UpdateRule {
 public:
  struct Slot {
    std::string name;
    float initial_value = 0;
  };

  virtual ~UpdateRule() = default;

  // What it keeps for each variable, of the variable's shape.
  virtual std::vector<Slot> Slots() const { return {}; }

  // What it takes from the host each step.
  virtual std::vector<StepScalar> Scalars() const = 0;

  // Whether it changes only the rows of a gradient that has some. Else it is
  // given gradients without: its step changes every row.
  virtual bool takes_rows() const { return false; }

  // What it does to gradients before they are used.
  virtual void Prepare(const GraphBuilder& /*graph*/,
                       std::vector<Gradient>* /*gradients*/) const {}

  // Adds the operations that change the variables, one for each gradient and
  // in their order: what changes a variable last. A gradient has each of its
  // rows once.
  virtual std::vector<tensorflow::Operation> Update(
      GraphBuilder& graph, const std::vector<Gradient>& gradients,
      const NamedOutputs& scalars) const = 0;
};

// The name of a variable's slot.
inline std::string SlotName(const std::string& variable,
                            const std::string& slot) {
  return variable + "/" + slot;
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULE_H_
