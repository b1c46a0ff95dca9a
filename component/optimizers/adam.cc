#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/optimizers/gradient_clipping.h"
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

constexpr char kMean[] = "Adam/m";
constexpr char kSquares[] = "Adam/v";
constexpr char kLargestSquares[] = "Adam/vhat";

// m += (1 - beta_1) * (g - m), v += (1 - beta_2) * (g^2 - v), then
// w -= step_size * m / (sqrt(v) + epsilon) where
// step_size = rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) at the t-th step. With
// amsgrad the largest v so far takes the place of v.
class Adam : public UpdateRule {
 public:
  explicit Adam(const AdamConfig& config)
      : beta_1_(config.beta_1),
        beta_2_(config.beta_2),
        epsilon_(static_cast<float>(config.epsilon)),
        amsgrad_(config.amsgrad) {}

  std::vector<Slot> Slots() const override {
    std::vector<Slot> slots = {{kMean}, {kSquares}};
    if (amsgrad_) slots.push_back({kLargestSquares});
    return slots;
  }

  std::vector<StepScalar> Scalars() const override {
    const auto size = [b1 = beta_1_, b2 = beta_2_](int64_t step, double rate) {
      const auto t = static_cast<double>(step + 1);
      return rate * std::sqrt(1 - std::pow(b2, t)) / (1 - std::pow(b1, t));
    };
    return {{"step_size", size}};
  }

  std::vector<Operation> Update(GraphBuilder& graph,
                                const std::vector<Gradient>& gradients,
                                const NamedOutputs& scalars) const override {
    const Scope& scope = graph.scope();
    // The operation corrects its rate by powers of the betas. The host has done
    // that, in doubles: powers of 0 leave the rate as it is.
    const Numbers numbers = {scalars.at("step_size"), ops::Const(scope, 0.0f),
                             ops::Const(scope, static_cast<float>(beta_1_)),
                             ops::Const(scope, static_cast<float>(beta_2_)),
                             ops::Const(scope, epsilon_)};
    std::vector<Operation> updates;
    for (const Gradient& gradient : gradients) {
      const Scope after = BeforeStep(graph, gradient, scalars);
      updates.push_back(Step(after, graph, gradient, numbers));
    }
    return updates;
  }

 protected:
  // Adds what comes before a variable's step; the scope returned is for what
  // comes after that.
  virtual Scope BeforeStep(GraphBuilder& graph, const Gradient& /*gradient*/,
                           const NamedOutputs& /*scalars*/) const {
    return graph.scope();
  }

 private:
  struct Numbers {
    Output size;
    Output power;
    Output beta_1;
    Output beta_2;
    Output epsilon;
  };

  Operation Step(const Scope& scope, const GraphBuilder& graph,
                 const Gradient& gradient, const Numbers& numbers) const {
    const auto slot = [&](const std::string& name) {
      return graph.Handle(SlotName(gradient.variable, name));
    };
    const Output handle = graph.Handle(gradient.variable);
    if (amsgrad_) {
      return ops::ResourceApplyAdamWithAmsgrad(
          scope, handle, slot(kMean), slot(kSquares), slot(kLargestSquares),
          numbers.power, numbers.power, numbers.size, numbers.beta_1,
          numbers.beta_2, numbers.epsilon, gradient.value);
    }
    return ops::ResourceApplyAdam(scope, handle, slot(kMean), slot(kSquares),
                                  numbers.power, numbers.power, numbers.size,
                                  numbers.beta_1, numbers.beta_2,
                                  numbers.epsilon, gradient.value);
  }

  const double beta_1_;
  const double beta_2_;
  const float epsilon_;
  const bool amsgrad_;
};

using Patterns = std::vector<std::regex>;

absl::StatusOr<Patterns> Compile(const std::string& field,
                                 const std::vector<std::string>& patterns) {
  Patterns compiled;
  for (const std::string& pattern : patterns) {
    try {
      compiled.emplace_back(pattern);
    } catch (const std::regex_error& error) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, ": '", pattern,
                       "' is not a regular expression: ", error.what()));
    }
  }
  return compiled;
}

bool AnyFoundIn(const std::string& name, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& regex) {
    return std::regex_search(name, regex);
  });
}

// Adam, and before it w -= rate * weight_decay_rate * w.
class AdamWeightDecay final : public Adam {
 public:
  AdamWeightDecay(const AdamWeightDecayConfig& config, Patterns included,
                  Patterns excluded)
      : Adam(config),
        rate_(config.weight_decay_rate),
        clip_norm_(config.gradient_clip_norm),
        included_(std::move(included)),
        excluded_(std::move(excluded)) {}

  std::vector<StepScalar> Scalars() const override {
    std::vector<StepScalar> scalars = Adam::Scalars();
    if (rate_ != 0) {
      scalars.push_back({"weight_decay", [decay = rate_](int64_t, double rate) {
                           return rate * decay;
                         }});
    }
    return scalars;
  }

  void Prepare(const GraphBuilder& graph,
               std::vector<Gradient>* gradients) const override {
    if (clip_norm_ > 0) ClipByGlobalNorm(graph.scope(), clip_norm_, gradients);
  }

 protected:
  Scope BeforeStep(GraphBuilder& graph, const Gradient& gradient,
                   const NamedOutputs& scalars) const override {
    if (!Decays(gradient.variable)) return graph.scope();
    // The gradient is of the variable as it is before it decays.
    const Scope after_gradient =
        graph.scope().WithControlDependencies(gradient.value);
    const ops::ResourceApplyGradientDescent decay(
        after_gradient, graph.Handle(gradient.variable),
        scalars.at("weight_decay"), graph.Read(gradient.variable));
    return graph.scope().WithControlDependencies({decay.operation});
  }

 private:
  bool Decays(const std::string& variable) const {
    if (rate_ == 0) return false;
    return AnyFoundIn(variable, included_) || !AnyFoundIn(variable, excluded_);
  }

  const double rate_;
  const double clip_norm_;
  const Patterns included_;
  const Patterns excluded_;
};

}  // namespace

std::unique_ptr<UpdateRule> MakeAdam(const AdamConfig& config) {
  return std::make_unique<Adam>(config);
}

absl::StatusOr<std::unique_ptr<UpdateRule>> MakeAdamWeightDecay(
    const AdamWeightDecayConfig& config) {
  RK_ASSIGN_OR_RETURN(
      Patterns included,
      Compile("include_in_weight_decay", config.include_in_weight_decay));
  RK_ASSIGN_OR_RETURN(
      Patterns excluded,
      Compile("exclude_from_weight_decay", config.exclude_from_weight_decay));
  return std::make_unique<AdamWeightDecay>(config, std::move(included),
                                           std::move(excluded));
}

}  // namespace rekindle
