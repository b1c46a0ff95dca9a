#include <cstdint>
#include <memory>
#include <vector>

#include "component/optimizers/step_scalar.h"
#include "component/optimizers/update_rule.h"
#include "component/optimizers/update_rules.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/training_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::Scope;

// a += g^2, then w -= rate * g / sqrt(a + epsilon). TensorFlow's operation has
// no epsilon under the root: here the accumulator starts with it.
class Adagrad final : public UpdateRule {
 public:
  explicit Adagrad(const AdagradConfig& config)
      : initial_value_(static_cast<float>(config.initial_accumulator_value +
                                          config.epsilon)) {}

  std::vector<Slot> Slots() const override {
    return {{kAccumulator, initial_value_}};
  }

  std::vector<StepScalar> Scalars() const override {
    return {{"learning_rate", [](int64_t, double rate) { return rate; }}};
  }

  bool takes_rows() const override { return true; }

  std::vector<Operation> Update(GraphBuilder& graph,
                                const std::vector<Gradient>& gradients,
                                const NamedOutputs& scalars) const override {
    const Output rate = scalars.at("learning_rate");
    std::vector<Operation> updates;
    for (const Gradient& gradient : gradients) {
      updates.push_back(Step(graph, gradient, rate));
    }
    return updates;
  }

 private:
  static constexpr char kAccumulator[] = "Adagrad/accumulator";

  static Operation Step(const GraphBuilder& graph, const Gradient& gradient,
                        const Output& rate) {
    const Scope& scope = graph.scope();
    const Output handle = graph.Handle(gradient.variable);
    const Output accumulator =
        graph.Handle(SlotName(gradient.variable, kAccumulator));
    if (!gradient.rows.has_value()) {
      return ops::ResourceApplyAdagrad(scope, handle, accumulator, rate,
                                       gradient.value);
    }
    return ops::ResourceSparseApplyAdagrad(scope, handle, accumulator, rate,
                                           gradient.value, *gradient.rows);
  }

  const float initial_value_;
};

}  // namespace

std::unique_ptr<UpdateRule> MakeAdagrad(const AdagradConfig& config) {
  return std::make_unique<Adagrad>(config);
}

}  // namespace rekindle
