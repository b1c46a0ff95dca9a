#ifndef REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_
#define REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/config.h"

namespace rekindle {

// Names and defaults are Model Garden's. A field whose default is no possible
// value, such as 0 decay_steps, must be set when its config is the chosen one.

// What every optimizer does to gradients first; at most one of them is set.
struct GradientClippingConfig : Config {
  std::optional<double> clipnorm;         // of each gradient's L2 norm
  std::optional<double> clipvalue;        // of each element
  std::optional<double> global_clipnorm;  // of all gradients' norm together

  void Describe(ConfigFields& fields) override;
  absl::Status Validate() const override;
};

struct SgdConfig : GradientClippingConfig {
  double momentum = 0;
  bool nesterov = false;

  void Describe(ConfigFields& fields) override;
};

struct AdamConfig : GradientClippingConfig {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;

  void Describe(ConfigFields& fields) override;
};

// Adam with weight decay: of every variable, or of those whose name matches.
struct AdamWeightDecayConfig : AdamConfig {
  double weight_decay_rate = 0;
  // Regular expressions, searched in a variable's name. Who is included is not
  // excluded; none included: all that are not excluded.
  std::vector<std::string> include_in_weight_decay;
  std::vector<std::string> exclude_from_weight_decay;
  double gradient_clip_norm = 1;  // of all gradients together; 0: not clipped

  void Describe(ConfigFields& fields) override;
};

struct AdagradConfig : GradientClippingConfig {
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;

  void Describe(ConfigFields& fields) override;
};

struct RmspropConfig : GradientClippingConfig {
  double rho = 0.9;
  double momentum = 0;
  double epsilon = 1e-7;
  bool centered = false;

  void Describe(ConfigFields& fields) override;
};

// One of them: `type` is its name.
struct OptimizerConfig : Config {
  std::string type;  // must be set
  SgdConfig sgd;
  AdamConfig adam;
  AdamWeightDecayConfig adamw;
  AdagradConfig adagrad;
  RmspropConfig rmsprop;

  void Describe(ConfigFields& fields) override;
};

// Moving averages of the weights, to evaluate and export.
struct EmaConfig : Config {
  double average_decay = 0.99;
  int64_t start_step = 0;  // before it the average is the variable itself
  // The decay at step t is at most (1 + t) / (10 + t).
  bool dynamic_decay = true;
  bool trainable_weights_only = true;

  void Describe(ConfigFields& fields) override;
};

struct ConstantRateConfig : Config {
  double learning_rate = 0.1;

  void Describe(ConfigFields& fields) override;
};

// In all schedules below, `offset` is taken from the step first.

// values[i] up to and including step boundaries[i], the last one after that.
struct StepwiseRateConfig : Config {
  std::vector<int64_t> boundaries;  // rising
  std::vector<double> values;       // one more than boundaries
  int64_t offset = 0;

  void Describe(ConfigFields& fields) override;
  absl::Status Validate() const override;
};

struct ExponentialRateConfig : Config {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double decay_rate = 0;
  bool staircase = false;
  int64_t offset = 0;

  void Describe(ConfigFields& fields) override;
};

struct PolynomialRateConfig : Config {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double end_learning_rate = 1e-4;
  double power = 1;
  bool cycle = false;
  int64_t offset = 0;

  void Describe(ConfigFields& fields) override;
};

struct CosineRateConfig : Config {
  double initial_learning_rate = 0;
  int64_t decay_steps = 0;
  double alpha = 0;  // the last rate, as a fraction of the first
  int64_t offset = 0;

  void Describe(ConfigFields& fields) override;
};

// One of them: `type` is its name.
struct LearningRateConfig : Config {
  std::string type;  // must be set
  ConstantRateConfig constant;
  StepwiseRateConfig stepwise;
  ExponentialRateConfig exponential;
  PolynomialRateConfig polynomial;
  CosineRateConfig cosine;

  void Describe(ConfigFields& fields) override;
};

// From warmup_learning_rate in a straight line to the schedule's rate at
// warmup_steps.
struct LinearWarmupConfig : Config {
  double warmup_learning_rate = 0;
  int64_t warmup_steps = 0;

  void Describe(ConfigFields& fields) override;
};

// The schedule's rate at warmup_steps times (step / warmup_steps) ^ power.
struct PolynomialWarmupConfig : Config {
  double power = 1;
  int64_t warmup_steps = 0;

  void Describe(ConfigFields& fields) override;
};

// One of them, or none: `type` is its name, or empty.
struct WarmupConfig : Config {
  std::string type;
  LinearWarmupConfig linear;
  PolynomialWarmupConfig polynomial;

  void Describe(ConfigFields& fields) override;
};

// How the weights change.
struct OptimizationConfig : Config {
  OptimizerConfig optimizer;
  std::optional<EmaConfig> ema;
  LearningRateConfig learning_rate;
  WarmupConfig warmup;

  void Describe(ConfigFields& fields) override;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_
