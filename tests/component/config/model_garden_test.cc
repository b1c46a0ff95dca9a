// A params.yaml that Model Garden wrote loads, and what has no meaning here is
// refused by name.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "component/config/config_layer.h"
#include "component/config/config_tree.h"
#include "component/config/yaml.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/config.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

// Every field of Model Garden's base configs, with its default.
constexpr char kParams[] = R"(
runtime:
  all_reduce_alg: null
  batchnorm_spatial_persistent: false
  dataset_num_private_threads: null
  default_shard_dim: -1
  distribution_strategy: mirrored
  enable_xla: false
  gpu_thread_mode: null
  loss_scale: null
  mixed_precision_dtype: null
  num_cores_per_replica: 1
  num_gpus: 0
  num_packs: 1
  per_gpu_thread_count: 0
  run_eagerly: false
  task_index: -1
  tpu: null
  tpu_enable_xla_dynamic_padder: null
  use_tpu_mp_strategy: false
  worker_hosts: null
task:
  allow_image_summary: false
  differential_privacy_config: null
  init_checkpoint: ''
  model: null
  name: null
  train_data: &data
    apply_tf_data_service_before_batching: false
    autotune_algorithm: null
    block_length: 1
    cache: false
    cycle_length: null
    deterministic: null
    drop_remainder: true
    enable_shared_tf_data_service_between_parallel_trainers: false
    enable_tf_data_service: false
    global_batch_size: 0
    input_path: ''
    is_training: null
    prefetch_buffer_size: null
    ram_budget: null
    seed: null
    sharding: true
    shuffle_buffer_size: 100
    tf_data_service_address: null
    tf_data_service_job_name: null
    tfds_as_supervised: false
    tfds_data_dir: ''
    tfds_name: ''
    tfds_skip_decoding_feature: ''
    tfds_split: ''
    trainer_id: null
  validation_data: *data
trainer:
  allow_tpu_summary: false
  best_checkpoint_eval_metric: ''
  best_checkpoint_export_subdir: ''
  best_checkpoint_metric_comp: higher
  checkpoint_interval: 1000
  continuous_eval_timeout: 3600
  eval_tf_function: true
  eval_tf_while_loop: false
  export_checkpoint: true
  export_checkpoint_interval: null
  export_max_to_keep: null
  export_only_final_stage_ckpt: true
  loss_upper_bound: 1000000.0
  max_to_keep: 5
  optimizer_config:
    ema: null
    learning_rate: {type: null}
    optimizer: {type: null}
    warmup: {type: null}
  preemption_on_demand_checkpoint: true
  progressive: null
  recovery_begin_steps: 0
  recovery_max_trials: 0
  steps_per_loop: 1000
  summary_interval: 1000
  train_steps: 0
  train_tf_function: true
  train_tf_while_loop: true
  validation_interval: 1000
  validation_steps: -1
  validation_summary_subdir: validation
)";

// Optimizers, schedules and warm-ups with their defaults.
constexpr char kOptimization[] = R"(
ema: {average_decay: 0.99, clipnorm: null, clipvalue: null, dynamic_decay: true,
  global_clipnorm: null, name: ExponentialMovingAverage, start_step: 0,
  trainable_weights_only: true}
optimizer:
  sgd: {clipnorm: null, clipvalue: null, decay: 0.0, global_clipnorm: null,
    momentum: 0.0, name: SGD, nesterov: false}
  adam: {amsgrad: false, beta_1: 0.9, beta_2: 0.999, clipnorm: null,
    clipvalue: null, epsilon: 1.0e-07, global_clipnorm: null, name: Adam}
  adamw: {amsgrad: false, beta_1: 0.9, beta_2: 0.999, clipnorm: null,
    clipvalue: null, epsilon: 1.0e-07, exclude_from_weight_decay: null,
    global_clipnorm: null, gradient_clip_norm: 1.0,
    include_in_weight_decay: null, name: AdamWeightDecay,
    weight_decay_rate: 0.0}
  adagrad: {clipnorm: null, clipvalue: null, epsilon: 1.0e-07,
    global_clipnorm: null, initial_accumulator_value: 0.1, name: Adagrad}
  rmsprop: {centered: false, clipnorm: null, clipvalue: null, epsilon: 1.0e-07,
    global_clipnorm: null, momentum: 0.0, name: RMSprop, rho: 0.9}
learning_rate:
  constant: {learning_rate: 0.1, name: Constant}
  stepwise: {boundaries: null, name: PiecewiseConstantDecay, offset: 0,
    values: null}
  exponential: {decay_rate: null, decay_steps: null,
    initial_learning_rate: null, name: ExponentialDecay, offset: 0,
    staircase: null}
  polynomial: {cycle: false, decay_steps: null, end_learning_rate: 0.0001,
    initial_learning_rate: null, name: PolynomialDecay, offset: 0, power: 1.0}
  cosine: {alpha: 0.0, decay_steps: null, initial_learning_rate: null,
    name: CosineDecay, offset: 0}
warmup:
  linear: {name: linear, warmup_learning_rate: 0, warmup_steps: null}
  polynomial: {name: polynomial, power: 1, warmup_steps: null}
)";

absl::Status Apply(const std::string& yaml, Config& config) {
  const auto layer = ParseYaml("params.yaml", yaml);
  if (!layer.ok()) return layer.status();
  return ApplyLayer(*layer, config);
}

ExperimentConfig Defaults() {
  ExperimentConfig config;
  config.task = std::make_unique<TaskConfig>();
  return config;
}

TEST(ModelGardenTest, ItsDefaultsAreOurs) {
  ExperimentConfig config = Defaults();
  const absl::Status applied = Apply(kParams, config);
  ASSERT_TRUE(applied.ok()) << applied;
  EXPECT_EQ(ConfigToYaml(config), ConfigToYaml(Defaults()));
}

TEST(ModelGardenTest, ItsDefaultsOfOptimizationAreOurs) {
  OptimizationConfig defaults;
  defaults.ema.emplace();
  OptimizationConfig config;
  const absl::Status applied = Apply(kOptimization, config);
  ASSERT_TRUE(applied.ok()) << applied;
  for (const char* optimizer : {"sgd", "adam", "adamw", "adagrad", "rmsprop"}) {
    for (const char* rate :
         {"constant", "stepwise", "exponential", "polynomial", "cosine"}) {
      for (const char* warmup : {"", "linear", "polynomial"}) {
        for (OptimizationConfig* each : {&config, &defaults}) {
          each->optimizer.type = optimizer;
          each->learning_rate.type = rate;
          each->warmup.type = warmup;
        }
        EXPECT_EQ(ConfigToYaml(config), ConfigToYaml(defaults));
      }
    }
  }
}

// Sets each refused name of `config` and of what is in it to something.
int ExpectRefused(Config& config) {
  ConfigFields fields;
  config.Describe(fields);
  int refused = 0;
  for (const RefusedField& field : fields.refused()) {
    ConfigLayer layer{.source = "test"};
    layer.values[field.name] = "something";
    const absl::Status status = ApplyLayer(layer, config);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field.name;
    EXPECT_THAT(status.message(), HasSubstr(field.name));
    EXPECT_THAT(status.message(), HasSubstr(field.reason));
    ++refused;
  }
  for (const ConfigField& field : fields.fields()) {
    if (const auto* inner = std::get_if<Config*>(&field.target())) {
      refused += ExpectRefused(**inner);
    }
  }
  return refused;
}

TEST(ModelGardenTest, WhatHasNoMeaningHereIsRefusedWithTheReason) {
  ExperimentConfig config = Defaults();
  // Two data configs of 12, 3 of the task, 10 of the trainer, 14 of the
  // runtime, and what optimizers and schedules have.
  EXPECT_GE(ExpectRefused(config), 2 * 12 + 3 + 10 + 14 + 13);
}

TEST(ModelGardenTest, OptimizersThatComeLaterAreRefusedByName) {
  OptimizationConfig config;
  EXPECT_THAT(
      Apply("optimizer: {type: lamb}", config).message(),
      HasSubstr(
          "optimizer.type cannot be 'lamb': it comes in a later version"));
  EXPECT_THAT(Apply("learning_rate: {type: cosine_restarts}", config).message(),
              HasSubstr("learning_rate.type cannot be 'cosine_restarts'"));
  EXPECT_THAT(Apply("optimizer: {type: adan}", config).message(),
              HasSubstr("did you mean 'adam'?"));
}

TEST(ModelGardenTest, AScheduleSaysWhatItNeeds) {
  OptimizationConfig config;
  config.optimizer.type = "sgd";
  EXPECT_EQ(CheckConfig(config).message(),
            "learning_rate.type must be set: a string, not empty (the "
            "schedule)");
  config.learning_rate.type = "stepwise";
  config.learning_rate.stepwise.boundaries = {10, 5};
  config.learning_rate.stepwise.values = {1, 2, 3};
  EXPECT_EQ(CheckConfig(config).message(),
            "learning_rate.stepwise.boundaries must rise: each is a later step "
            "than the one before");
  config.learning_rate.stepwise.values = {1, 2};
  EXPECT_EQ(CheckConfig(config).message(),
            "learning_rate.stepwise.values has 2 elements, expected 3: one "
            "more than boundaries");
  config.learning_rate.type = "exponential";
  EXPECT_EQ(CheckConfig(config).message(),
            "learning_rate.exponential.initial_learning_rate must be set: a "
            "number, above 0 (the first rate)");
}

}  // namespace
}  // namespace rekindle
