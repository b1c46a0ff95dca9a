#ifndef REKINDLE_TRAINING_EXPERIMENT_CONFIG_H_
#define REKINDLE_TRAINING_EXPERIMENT_CONFIG_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/config.h"
#include "rekindle/training/optimization_config.h"

namespace rekindle {

// What to read. Model Garden's names and defaults.
struct DataConfig : Config {
  std::vector<std::string> input_path;  // patterns of TFRecord files
  int64_t global_batch_size = 0;
  bool is_training = false;  // shuffles and repeats
  bool drop_remainder = true;
  int64_t shuffle_buffer_size = 100;
  // Parsed examples stay in memory when they fit into ram_budget.
  bool cache = false;
  int64_t ram_budget = 0;               // MiB; 0: a quarter of the memory
  std::optional<int64_t> cycle_length;  // files read at once
  int64_t block_length = 1;             // examples from a file at a time
  std::optional<bool> deterministic;    // always, here
  bool sharding = true;
  std::optional<int64_t> seed;
  std::optional<int64_t> prefetch_buffer_size;  // batches

  void Describe(ConfigFields& fields) override;
};

// What to learn. A task derives its own from it.
struct TaskConfig : Config {
  std::string name;
  std::string init_checkpoint;  // a checkpoint, or a folder: its latest
  // Ours: a SavedModel to take over what fits of; an error if nothing does,
  // unless allow_no_match.
  std::string base_model;
  bool allow_no_match = false;
  std::vector<std::string> warm_start_map;  // "our variable=its variable"
  // Ours: what a training step was given beside examples. A Schema as text, and
  // the folder of a Transform component (then examples are transformed ones,
  // and the model serves raw ones).
  std::string schema_path;
  std::string transform_graph_path;
  DataConfig train_data;
  DataConfig validation_data;

  void Describe(ConfigFields& fields) override;
};

// How to train. Model Garden's names and defaults.
struct TrainerConfig : Config {
  OptimizationConfig optimizer_config;
  std::string trainer;  // the registered Trainer; empty: the default one
  int64_t steps_per_loop = 1000;
  int64_t summary_interval = 1000;
  int64_t checkpoint_interval = 1000;
  int64_t max_to_keep = 5;
  int64_t continuous_eval_timeout = 3600;  // seconds
  int64_t train_steps = 0;
  int64_t validation_steps = -1;  // -1: the whole split
  int64_t validation_interval = 1000;
  std::string best_checkpoint_export_subdir;
  std::string best_checkpoint_eval_metric;
  std::string best_checkpoint_metric_comp = "higher";
  double loss_upper_bound = 1e6;
  int64_t recovery_begin_steps = 0;
  int64_t recovery_max_trials = 0;  // below 0: never looked at
  std::string validation_summary_subdir = "validation";
  bool preemption_on_demand_checkpoint = true;

  void Describe(ConfigFields& fields) override;
  absl::Status Validate() const override;
};

// Where to train.
struct RuntimeConfig : Config {
  std::string distribution_strategy = "mirrored";
  int64_t num_gpus = 0;
  // Ours: as many CPU devices for "mirrored"; 0: one device.
  int64_t num_virtual_cpus = 0;
  bool enable_xla = false;
  std::optional<std::string> mixed_precision_dtype;
  std::optional<double> loss_scale;
  // Ours: the seed of the initial weights and, where the data has none of its
  // own, of the order of the examples.
  int64_t seed = 0;

  void Describe(ConfigFields& fields) override;
};

struct ExperimentConfig : Config {
  std::unique_ptr<TaskConfig> task;  // set by the experiment
  TrainerConfig trainer;
  RuntimeConfig runtime;

  void Describe(ConfigFields& fields) override;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_EXPERIMENT_CONFIG_H_
