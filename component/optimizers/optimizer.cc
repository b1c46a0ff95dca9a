#include "rekindle/training/optimizer.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/optimizers/gradient_clipping.h"
#include "component/optimizers/gradient_rows.h"
#include "component/optimizers/learning_rate.h"
#include "component/optimizers/moving_average.h"
#include "component/optimizers/step_scalar.h"
#include "component/optimizers/unknown_type.h"
#include "component/optimizers/update_rule.h"
#include "component/optimizers/update_rules.h"

namespace rekindle {
namespace {

using ::tensorflow::Operation;

struct OptimizerParts {
  LearningRate learning_rate;
  std::unique_ptr<UpdateRule> rule;
  GradientClippingConfig clipping;
  std::optional<MovingAverage> average;
};

// A rule with all that optimizers have in common around it.
class RuleOptimizer final : public Optimizer {
 public:
  explicit RuleOptimizer(OptimizerParts parts)
      : parts_(std::move(parts)), scalars_(parts_.rule->Scalars()) {
    if (parts_.average) scalars_.push_back(parts_.average->Scalar());
  }

  std::vector<SlotSpec> Slots(
      const std::vector<VariableSpec>& variables) const override {
    std::vector<SlotSpec> slots;
    for (const VariableSpec& variable : variables) {
      if (variable.trainable) AddSlots(variable, &slots);
    }
    return slots;
  }

  std::vector<std::string> ScalarNames() const override {
    std::vector<std::string> names;
    for (const StepScalar& scalar : scalars_) names.push_back(scalar.name);
    return names;
  }

  std::vector<float> Scalars(int64_t step) const override {
    const double rate = LearningRate(step);
    std::vector<float> values;
    values.reserve(scalars_.size());
    for (const StepScalar& scalar : scalars_) {
      values.push_back(static_cast<float>(scalar.value(step, rate)));
    }
    return values;
  }

  double LearningRate(int64_t step) const override {
    return parts_.learning_rate(step);
  }

  std::vector<Operation> Apply(GraphBuilder& graph,
                               std::vector<Gradient> gradients,
                               const NamedOutputs& scalars) const override {
    if (gradients.empty() || !graph.scope().ok()) return {};
    for (Gradient& gradient : gradients) gradient = Prepared(graph, gradient);
    parts_.rule->Prepare(graph, &gradients);
    ClipGradients(graph.scope(), parts_.clipping, &gradients);
    std::vector<Operation> updates =
        parts_.rule->Update(graph, gradients, scalars);
    if (parts_.average && graph.scope().ok()) {
      for (size_t i = 0; i < gradients.size(); ++i) {
        updates[i] = parts_.average->Add(graph, gradients[i].variable,
                                         updates[i], scalars);
      }
    }
    return updates;
  }

  std::string AverageOf(const VariableSpec& variable) const override {
    if (!parts_.average || !variable.trainable) return "";
    return MovingAverage::SlotOf(variable.name);
  }

 private:
  void AddSlots(const VariableSpec& variable,
                std::vector<SlotSpec>* slots) const {
    for (const UpdateRule::Slot& slot : parts_.rule->Slots()) {
      slots->push_back(
          {.variable = {SlotName(variable.name, slot.name), variable.shape,
                        /*trainable=*/false},
           .initial_value = slot.initial_value,
           .copy_of = ""});
    }
    if (parts_.average) slots->push_back(parts_.average->Slot(variable));
  }

  // The gradient in the form that the rule and the clipping can use. Each row
  // comes once even where the rule could add up several: in which order its
  // threads do so is not said, and the same steps must give the same weights.
  Gradient Prepared(const GraphBuilder& graph, const Gradient& gradient) const {
    return parts_.rule->takes_rows() ? WithUniqueRows(graph, gradient)
                                     : ToDense(graph, gradient);
  }

  const OptimizerParts parts_;
  std::vector<StepScalar> scalars_;
};

absl::StatusOr<std::unique_ptr<UpdateRule>> MakeRule(
    const OptimizerConfig& config) {
  if (config.type == "sgd") return MakeSgd(config.sgd);
  if (config.type == "adam") return MakeAdam(config.adam);
  if (config.type == "adamw") return MakeAdamWeightDecay(config.adamw);
  if (config.type == "adagrad") return MakeAdagrad(config.adagrad);
  if (config.type == "rmsprop") return MakeRmsprop(config.rmsprop);
  return UnknownType("optimizer", config.type,
                     {"sgd", "adam", "adamw", "adagrad", "rmsprop"});
}

// Of the optimizer that MakeRule has made.
const GradientClippingConfig& ClippingOf(const OptimizerConfig& config) {
  if (config.type == "sgd") return config.sgd;
  if (config.type == "adam") return config.adam;
  if (config.type == "adamw") return config.adamw;
  if (config.type == "adagrad") return config.adagrad;
  return config.rmsprop;
}

absl::StatusOr<std::optional<MovingAverage>> MakeAverage(
    const std::optional<EmaConfig>& config) {
  if (!config.has_value()) return std::nullopt;
  if (config->trainable_weights_only) return MovingAverage(*config);
  return absl::InvalidArgumentError(
      "ema: trainable_weights_only is false, but only an optimizer changes "
      "weights here, and it changes only trainable ones; leave it true");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Optimizer>> MakeOptimizer(
    const OptimizationConfig& config) {
  OptimizerParts parts;
  RK_ASSIGN_OR_RETURN(parts.learning_rate,
                      MakeLearningRate(config.learning_rate, config.warmup));
  RK_ASSIGN_OR_RETURN(parts.rule, MakeRule(config.optimizer));
  parts.clipping = ClippingOf(config.optimizer);
  RK_RETURN_IF_ERROR(parts.clipping.Validate());
  RK_ASSIGN_OR_RETURN(parts.average, MakeAverage(config.ema));
  return std::make_unique<RuleOptimizer>(std::move(parts));
}

}  // namespace rekindle
