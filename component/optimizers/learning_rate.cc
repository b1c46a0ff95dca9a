#include "component/optimizers/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/optimizers/unknown_type.h"

namespace rekindle {
namespace {

absl::Status CheckSteps(const std::string& name, int64_t steps) {
  if (steps >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", steps, ", expected at least 1"));
}

LearningRate Constant(const ConstantRateConfig& config) {
  return [rate = config.learning_rate](int64_t) { return rate; };
}

absl::StatusOr<LearningRate> Stepwise(const StepwiseRateConfig& config) {
  RK_RETURN_IF_ERROR(config.Validate());
  return [config](int64_t step) {
    // A boundary is the last step of the value before it.
    const auto after =
        std::lower_bound(config.boundaries.begin(), config.boundaries.end(),
                         step - config.offset);
    return config.values[after - config.boundaries.begin()];
  };
}

absl::StatusOr<LearningRate> Exponential(const ExponentialRateConfig& config) {
  RK_RETURN_IF_ERROR(CheckSteps("decay_steps", config.decay_steps));
  return [config](int64_t step) {
    double periods = static_cast<double>(step - config.offset) /
                     static_cast<double>(config.decay_steps);
    if (config.staircase) periods = std::floor(periods);
    return config.initial_learning_rate * std::pow(config.decay_rate, periods);
  };
}

absl::StatusOr<LearningRate> Polynomial(const PolynomialRateConfig& config) {
  RK_RETURN_IF_ERROR(CheckSteps("decay_steps", config.decay_steps));
  return [config](int64_t step) {
    double done = static_cast<double>(step - config.offset) /
                  static_cast<double>(config.decay_steps);
    // A cycle ends at the next multiple of decay_steps, but begins at step 0:
    // each is less steep than the one before.
    if (config.cycle) done /= std::max(1.0, std::ceil(done));
    const double left = std::pow(1 - std::min(done, 1.0), config.power);
    return config.end_learning_rate +
           (config.initial_learning_rate - config.end_learning_rate) * left;
  };
}

absl::StatusOr<LearningRate> Cosine(const CosineRateConfig& config) {
  RK_RETURN_IF_ERROR(CheckSteps("decay_steps", config.decay_steps));
  return [config](int64_t step) {
    const double done =
        std::min(1.0, static_cast<double>(step - config.offset) /
                          static_cast<double>(config.decay_steps));
    const double wave = 0.5 * (1 + std::cos(std::numbers::pi * done));
    return config.initial_learning_rate *
           ((1 - config.alpha) * wave + config.alpha);
  };
}

absl::StatusOr<LearningRate> MakeSchedule(const LearningRateConfig& config) {
  if (config.type == "constant") return Constant(config.constant);
  if (config.type == "stepwise") return Stepwise(config.stepwise);
  if (config.type == "exponential") return Exponential(config.exponential);
  if (config.type == "polynomial") return Polynomial(config.polynomial);
  if (config.type == "cosine") return Cosine(config.cosine);
  return UnknownType(
      "learning rate", config.type,
      {"constant", "stepwise", "exponential", "polynomial", "cosine"});
}

absl::StatusOr<LearningRate> WarmUpLinearly(const LinearWarmupConfig& config,
                                            LearningRate schedule) {
  RK_RETURN_IF_ERROR(CheckSteps("warmup_steps", config.warmup_steps));
  return [config, schedule = std::move(schedule)](int64_t step) {
    if (step >= config.warmup_steps) return schedule(step);
    const double from = config.warmup_learning_rate;
    const double done =
        static_cast<double>(step) / static_cast<double>(config.warmup_steps);
    return from + done * (schedule(config.warmup_steps) - from);
  };
}

absl::StatusOr<LearningRate> WarmUpByPower(const PolynomialWarmupConfig& config,
                                           LearningRate schedule) {
  RK_RETURN_IF_ERROR(CheckSteps("warmup_steps", config.warmup_steps));
  return [config, schedule = std::move(schedule)](int64_t step) {
    if (step >= config.warmup_steps) return schedule(step);
    // Step 0 is taken for step 1, so that it changes something.
    const double done = static_cast<double>(std::max<int64_t>(step, 1)) /
                        static_cast<double>(config.warmup_steps);
    return schedule(config.warmup_steps) * std::pow(done, config.power);
  };
}

}  // namespace

absl::StatusOr<LearningRate> MakeLearningRate(const LearningRateConfig& rate,
                                              const WarmupConfig& warmup) {
  RK_ASSIGN_OR_RETURN(LearningRate schedule, MakeSchedule(rate));
  if (warmup.type.empty()) return schedule;
  if (warmup.type == "linear") {
    return WarmUpLinearly(warmup.linear, std::move(schedule));
  }
  if (warmup.type == "polynomial") {
    return WarmUpByPower(warmup.polynomial, std::move(schedule));
  }
  return UnknownType("warm-up", warmup.type, {"linear", "polynomial"});
}

}  // namespace rekindle
