#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "component/optimizers/step_scalar.h"
#include "component/optimizers/update_rule.h"
#include "component/optimizers/update_rules.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/training_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::Scope;

constexpr char kSquares[] = "RMSprop/mean_square";
constexpr char kMomentum[] = "RMSprop/momentum";
constexpr char kGradients[] = "RMSprop/mean_gradient";

// s = rho * s + (1 - rho) * g^2, and likewise the mean c of g if centered;
// m = momentum * m + rate * g / sqrt(s - c^2 + epsilon), then w -= m.
class Rmsprop final : public UpdateRule {
 public:
  explicit Rmsprop(const RmspropConfig& config)
      : rho_(static_cast<float>(config.rho)),
        momentum_(static_cast<float>(config.momentum)),
        epsilon_(static_cast<float>(config.epsilon)),
        centered_(config.centered) {}

  // TensorFlow's operation wants the momentum even where it is 0.
  std::vector<Slot> Slots() const override {
    std::vector<Slot> slots = {{kSquares}, {kMomentum}};
    if (centered_) slots.push_back({kGradients});
    return slots;
  }

  std::vector<StepScalar> Scalars() const override {
    return {{"learning_rate", [](int64_t, double rate) { return rate; }}};
  }

  std::vector<Operation> Update(GraphBuilder& graph,
                                const std::vector<Gradient>& gradients,
                                const NamedOutputs& scalars) const override {
    const Scope& scope = graph.scope();
    const Numbers numbers = {
        scalars.at("learning_rate"), ops::Const(scope, rho_),
        ops::Const(scope, momentum_), ops::Const(scope, epsilon_)};
    std::vector<Operation> updates;
    for (const Gradient& gradient : gradients) {
      updates.push_back(Step(graph, gradient, numbers));
    }
    return updates;
  }

 private:
  struct Numbers {
    Output rate;
    Output rho;
    Output momentum;
    Output epsilon;
  };

  Operation Step(const GraphBuilder& graph, const Gradient& gradient,
                 const Numbers& numbers) const {
    const auto slot = [&](const std::string& name) {
      return graph.Handle(SlotName(gradient.variable, name));
    };
    const Output handle = graph.Handle(gradient.variable);
    if (centered_) {
      return ops::ResourceApplyCenteredRMSProp(
          graph.scope(), handle, slot(kGradients), slot(kSquares),
          slot(kMomentum), numbers.rate, numbers.rho, numbers.momentum,
          numbers.epsilon, gradient.value);
    }
    return ops::ResourceApplyRMSProp(
        graph.scope(), handle, slot(kSquares), slot(kMomentum), numbers.rate,
        numbers.rho, numbers.momentum, numbers.epsilon, gradient.value);
  }

  const float rho_;
  const float momentum_;
  const float epsilon_;
  const bool centered_;
};

}  // namespace

std::unique_ptr<UpdateRule> MakeRmsprop(const RmspropConfig& config) {
  return std::make_unique<Rmsprop>(config);
}

}  // namespace rekindle
