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
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/ops/training_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::Scope;

std::vector<StepScalar> LearningRateAlone() {
  return {{"learning_rate", [](int64_t, double rate) { return rate; }}};
}

// w -= rate * g
class PlainSgd final : public UpdateRule {
 public:
  std::vector<StepScalar> Scalars() const override {
    return LearningRateAlone();
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
  static Operation Step(const GraphBuilder& graph, const Gradient& gradient,
                        const Output& rate) {
    const Scope& scope = graph.scope();
    const Output handle = graph.Handle(gradient.variable);
    if (!gradient.rows.has_value()) {
      return ops::ResourceApplyGradientDescent(scope, handle, rate,
                                               gradient.value);
    }
    return ops::ResourceScatterSub(scope, handle, *gradient.rows,
                                   ops::Mul(scope, gradient.value, rate));
  }
};

// m = momentum * m - rate * g, then w += m, or with Nesterov's look ahead
// w += momentum * m - rate * g
class MomentumSgd final : public UpdateRule {
 public:
  explicit MomentumSgd(const SgdConfig& config)
      : momentum_(static_cast<float>(config.momentum)),
        nesterov_(config.nesterov) {}

  std::vector<Slot> Slots() const override { return {{kMomentum}}; }

  std::vector<StepScalar> Scalars() const override {
    return LearningRateAlone();
  }

  std::vector<Operation> Update(GraphBuilder& graph,
                                const std::vector<Gradient>& gradients,
                                const NamedOutputs& scalars) const override {
    using Step = ops::ResourceApplyKerasMomentum;
    const Scope& scope = graph.scope();
    const Output momentum = ops::Const(scope, momentum_);
    std::vector<Operation> updates;
    for (const Gradient& gradient : gradients) {
      updates.push_back(
          Step(scope, graph.Handle(gradient.variable),
               graph.Handle(SlotName(gradient.variable, kMomentum)),
               scalars.at("learning_rate"), gradient.value, momentum,
               Step::UseNesterov(nesterov_)));
    }
    return updates;
  }

 private:
  static constexpr char kMomentum[] = "SGD/momentum";

  const float momentum_;
  const bool nesterov_;
};

}  // namespace

std::unique_ptr<UpdateRule> MakeSgd(const SgdConfig& config) {
  if (config.momentum == 0) return std::make_unique<PlainSgd>();
  return std::make_unique<MomentumSgd>(config);
}

}  // namespace rekindle
