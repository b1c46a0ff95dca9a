#include "rekindle/training/optimization_config.h"

#include <algorithm>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rekindle/training/config.h"

namespace rekindle {
namespace {

constexpr char kLater[] = "it comes in a later version";
constexpr char kName[] = "what is built here has no name of its own";

void AddMomentum(double* momentum, ConfigFields& fields) {
  fields.Add("momentum", momentum, "share of the step before that is kept")
      .AtLeast(0)
      .Below(1);
}

void AddEpsilon(double* epsilon, ConfigFields& fields) {
  fields.Add("epsilon", epsilon, "keeps a division from being by zero")
      .AtLeast(0);
}

// The fields that the schedules which start at a rate and decay have in common.
void AddDecay(double* initial_learning_rate, int64_t* decay_steps,
              ConfigFields& fields) {
  fields.Add("initial_learning_rate", initial_learning_rate, "the first rate")
      .Above(0)
      .OrNull();
  fields.Add("decay_steps", decay_steps, "steps of the decay")
      .AtLeast(1)
      .OrNull();
}

void AddOffset(int64_t* offset, ConfigFields& fields) {
  fields.Add("offset", offset, "taken from the step first");
}

void AddWarmupSteps(int64_t* warmup_steps, ConfigFields& fields) {
  fields.Add("warmup_steps", warmup_steps, "steps of the warm-up")
      .AtLeast(1)
      .OrNull();
}

}  // namespace

void GradientClippingConfig::Describe(ConfigFields& fields) {
  fields.Add("clipnorm", &clipnorm, "largest L2 norm of a gradient").Above(0);
  fields.Add("clipvalue", &clipvalue, "largest element of a gradient").Above(0);
  fields
      .Add("global_clipnorm", &global_clipnorm,
           "largest L2 norm of all gradients together")
      .Above(0);
}

absl::Status GradientClippingConfig::Validate() const {
  const int ways = clipnorm.has_value() + clipvalue.has_value() +
                   global_clipnorm.has_value();
  if (ways <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "clipnorm, clipvalue and global_clipnorm exclude each other: set at most "
      "one");
}

void SgdConfig::Describe(ConfigFields& fields) {
  AddMomentum(&momentum, fields);
  fields.Add("nesterov", &nesterov, "looks one step of momentum ahead");
  fields.Refuse("name", "SGD", kName);
  fields.Refuse("decay", 0.0, "a learning rate that falls is a schedule");
  GradientClippingConfig::Describe(fields);
}

void AdamConfig::Describe(ConfigFields& fields) {
  fields.Add("beta_1", &beta_1, "decay of the mean of gradients")
      .AtLeast(0)
      .Below(1);
  fields.Add("beta_2", &beta_2, "decay of the mean of their squares")
      .AtLeast(0)
      .Below(1);
  AddEpsilon(&epsilon, fields);
  fields.Add("amsgrad", &amsgrad, "never forgets the largest mean square");
  fields.Refuse("name", "Adam", kName);
  GradientClippingConfig::Describe(fields);
}

void AdamWeightDecayConfig::Describe(ConfigFields& fields) {
  AdamConfig::Describe(fields);
  fields.Refuse("name", "AdamWeightDecay", kName);
  fields
      .Add("weight_decay_rate", &weight_decay_rate,
           "share of a weight that a step takes away, times the learning rate")
      .AtLeast(0);
  fields
      .Add("include_in_weight_decay", &include_in_weight_decay,
           "patterns of variables that always decay")
      .OrNull();
  fields
      .Add("exclude_from_weight_decay", &exclude_from_weight_decay,
           "patterns of variables that do not decay")
      .OrNull();
  fields
      .Add("gradient_clip_norm", &gradient_clip_norm,
           "largest L2 norm of all gradients together; 0: any")
      .AtLeast(0);
}

void AdagradConfig::Describe(ConfigFields& fields) {
  fields
      .Add("initial_accumulator_value", &initial_accumulator_value,
           "what the sum of squares starts with")
      .AtLeast(0);
  AddEpsilon(&epsilon, fields);
  fields.Refuse("name", "Adagrad", kName);
  GradientClippingConfig::Describe(fields);
}

void RmspropConfig::Describe(ConfigFields& fields) {
  fields.Add("rho", &rho, "decay of the mean of squares").AtLeast(0).Below(1);
  AddMomentum(&momentum, fields);
  AddEpsilon(&epsilon, fields);
  fields.Add("centered", &centered, "divides by the variance of gradients");
  fields.Refuse("name", "RMSprop", kName);
  GradientClippingConfig::Describe(fields);
}

void OptimizerConfig::Describe(ConfigFields& fields) {
  fields.AddType(&type, "the optimizer").NotEmpty();
  fields.Add("sgd", &sgd);
  fields.Add("adam", &adam);
  fields.Add("adamw", &adamw);
  fields.Add("adagrad", &adagrad);
  fields.Add("rmsprop", &rmsprop);
  fields.Refuse("sgd_experimental", nullptr, "it is called sgd here");
  fields.Refuse("adam_experimental", nullptr, "it is called adam here");
  fields.Refuse({"adamw_experimental", "lamb", "lars", "slide", "adafactor",
                 "adafactor_keras"},
                kLater);
}

void EmaConfig::Describe(ConfigFields& fields) {
  fields.Add("average_decay", &average_decay, "share of the average that stays")
      .AtLeast(0)
      .Below(1);
  fields.Add("start_step", &start_step, "until it, the average is the weight")
      .AtLeast(0);
  fields.Add("dynamic_decay", &dynamic_decay,
             "decays by at most (1 + step) / (10 + step)");
  fields.Add("trainable_weights_only", &trainable_weights_only,
             "averages no other variables");
  fields.Refuse("name", "ExponentialMovingAverage", kName);
  fields.Refuse({"clipnorm", "clipvalue", "global_clipnorm"},
                "set it for the optimizer");
}

void ConstantRateConfig::Describe(ConfigFields& fields) {
  fields.Add("learning_rate", &learning_rate, "the rate").AtLeast(0);
  fields.Refuse("name", "Constant", kName);
}

void StepwiseRateConfig::Describe(ConfigFields& fields) {
  fields.Add("boundaries", &boundaries, "the last step of each rate, rising")
      .NotEmpty()
      .OrNull();
  fields.Add("values", &values, "the rates, one more than boundaries")
      .AtLeast(0)
      .NotEmpty()
      .OrNull();
  AddOffset(&offset, fields);
  fields.Refuse("name", "PiecewiseConstantDecay", kName);
}

absl::Status StepwiseRateConfig::Validate() const {
  if (values.size() != boundaries.size() + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("values has ", values.size(), " elements, expected ",
                     boundaries.size() + 1, ": one more than boundaries"));
  }
  const bool falls =
      std::ranges::adjacent_find(boundaries, std::greater_equal<>()) !=
      boundaries.end();
  if (!falls) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "boundaries must rise: each is a later step than the one before");
}

void ExponentialRateConfig::Describe(ConfigFields& fields) {
  AddDecay(&initial_learning_rate, &decay_steps, fields);
  fields.Add("decay_rate", &decay_rate, "what decay_steps multiply the rate by")
      .Above(0)
      .OrNull();
  fields.Add("staircase", &staircase, "only after each whole decay_steps")
      .OrNull();
  AddOffset(&offset, fields);
  fields.Refuse("name", "ExponentialDecay", kName);
}

void PolynomialRateConfig::Describe(ConfigFields& fields) {
  AddDecay(&initial_learning_rate, &decay_steps, fields);
  fields.Add("end_learning_rate", &end_learning_rate, "the last rate")
      .AtLeast(0);
  fields.Add("power", &power, "of the polynomial; 1: a straight line").Above(0);
  fields.Add("cycle", &cycle, "begins anew, ever slower, after decay_steps");
  AddOffset(&offset, fields);
  fields.Refuse("name", "PolynomialDecay", kName);
}

void CosineRateConfig::Describe(ConfigFields& fields) {
  AddDecay(&initial_learning_rate, &decay_steps, fields);
  fields.Add("alpha", &alpha, "the last rate, as a share of the first")
      .AtLeast(0)
      .AtMost(1);
  AddOffset(&offset, fields);
  fields.Refuse("name", "CosineDecay", kName);
}

void LearningRateConfig::Describe(ConfigFields& fields) {
  fields.AddType(&type, "the schedule").NotEmpty();
  fields.Add("constant", &constant);
  fields.Add("stepwise", &stepwise);
  fields.Add("exponential", &exponential);
  fields.Add("polynomial", &polynomial);
  fields.Add("cosine", &cosine);
  fields.Refuse({"cosine_restarts", "power", "power_linear",
                 "power_with_offset", "step_cosine_with_offset"},
                kLater);
}

void LinearWarmupConfig::Describe(ConfigFields& fields) {
  fields.Add("warmup_learning_rate", &warmup_learning_rate, "the first rate")
      .AtLeast(0);
  AddWarmupSteps(&warmup_steps, fields);
  fields.Refuse("name", "linear", kName);
}

void PolynomialWarmupConfig::Describe(ConfigFields& fields) {
  fields.Add("power", &power, "of step / warmup_steps").Above(0);
  AddWarmupSteps(&warmup_steps, fields);
  fields.Refuse("name", "polynomial", kName);
}

void WarmupConfig::Describe(ConfigFields& fields) {
  fields.AddType(&type, "the warm-up; null: none");
  fields.Add("linear", &linear);
  fields.Add("polynomial", &polynomial);
}

void OptimizationConfig::Describe(ConfigFields& fields) {
  fields.Add("optimizer", &optimizer);
  fields.Add("ema", &ema, "moving averages of the weights; null: none");
  fields.Add("learning_rate", &learning_rate);
  fields.Add("warmup", &warmup);
}

}  // namespace rekindle
