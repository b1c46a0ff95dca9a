#include "rekindle/training/experiment_config.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rekindle/training/config.h"

namespace rekindle {
namespace {

constexpr char kTfds[] =
    "only TFRecord files are read here; name them in input_path";
constexpr char kDataService[] =
    "examples are read by this process, not by a tf.data service";
constexpr char kTpu[] = "there is no TPU here";
constexpr char kOneGraph[] = "every step is one graph here, run from C++";
constexpr char kThreads[] =
    "threads are chosen by the size of the model and the machine";
constexpr char kTfConfig[] = "the variable TF_CONFIG says it";
constexpr char kCollectives[] = "TensorFlow chooses how gradients are summed";
constexpr char kLater[] = "it comes in a later version";

void RefuseForeignInputs(ConfigFields& fields) {
  fields.Refuse("tfds_name", "", kTfds);
  fields.Refuse("tfds_split", "", kTfds);
  fields.Refuse("tfds_data_dir", "", kTfds);
  fields.Refuse("tfds_as_supervised", false, kTfds);
  fields.Refuse("tfds_skip_decoding_feature", "", kTfds);
  fields.Refuse("enable_tf_data_service", false, kDataService);
  fields.Refuse("tf_data_service_address", nullptr, kDataService);
  fields.Refuse("tf_data_service_job_name", nullptr, kDataService);
  fields.Refuse("enable_shared_tf_data_service_between_parallel_trainers",
                false, kDataService);
  fields.Refuse("apply_tf_data_service_before_batching", false, kDataService);
  fields.Refuse("trainer_id", nullptr, kDataService);
  fields.Refuse("autotune_algorithm", nullptr,
                "set cycle_length and prefetch_buffer_size");
}

void AddIntervals(TrainerConfig& config, ConfigFields& fields) {
  fields
      .Add("steps_per_loop", &config.steps_per_loop,
           "steps between two lines of the log")
      .AtLeast(1);
  fields
      .Add("summary_interval", &config.summary_interval,
           "steps between two summaries for TensorBoard; a multiple of "
           "steps_per_loop")
      .AtLeast(1);
  fields
      .Add("checkpoint_interval", &config.checkpoint_interval,
           "steps between two checkpoints")
      .AtLeast(1);
  fields.Add("max_to_keep", &config.max_to_keep, "checkpoints that are kept")
      .AtLeast(1);
  fields
      .Add("continuous_eval_timeout", &config.continuous_eval_timeout,
           "seconds that continuous_eval waits for a checkpoint")
      .AtLeast(0);
  fields.Add("train_steps", &config.train_steps, "the last global step")
      .AtLeast(0);
  fields
      .Add("validation_steps", &config.validation_steps,
           "batches of an evaluation; -1: all")
      .AtLeast(-1);
  fields
      .Add("validation_interval", &config.validation_interval,
           "steps between two evaluations of train_and_eval")
      .AtLeast(1);
}

void AddBestCheckpoint(TrainerConfig& config, ConfigFields& fields) {
  fields.Add("best_checkpoint_export_subdir",
             &config.best_checkpoint_export_subdir,
             "folder of the best checkpoint; empty: none is kept");
  fields.Add("best_checkpoint_eval_metric", &config.best_checkpoint_eval_metric,
             "the measure that says which is best");
  fields
      .Add("best_checkpoint_metric_comp", &config.best_checkpoint_metric_comp,
           "which is better")
      .AnyOf({"higher", "lower"});
}

void AddRecovery(TrainerConfig& config, ConfigFields& fields) {
  fields.Add("loss_upper_bound", &config.loss_upper_bound,
             "a higher loss, or NaN, has blown up");
  fields
      .Add("recovery_begin_steps", &config.recovery_begin_steps,
           "the first step that is looked at")
      .AtLeast(0);
  fields
      .Add("recovery_max_trials", &config.recovery_max_trials,
           "how often the last checkpoint is restored; 0: the run fails; -1: "
           "the loss is not looked at")
      .AtLeast(-1);
}

void RefuseOtherLoops(ConfigFields& fields) {
  fields.Refuse("train_tf_while_loop", true, kOneGraph);
  fields.Refuse("train_tf_function", true, kOneGraph);
  fields.Refuse("eval_tf_function", true, kOneGraph);
  fields.Refuse("eval_tf_while_loop", false, kOneGraph);
  fields.Refuse("allow_tpu_summary", false, kTpu);
  fields.Refuse("progressive", nullptr, kLater);
  fields.Refuse("export_checkpoint", true, kLater);
  fields.Refuse("export_checkpoint_interval", nullptr, kLater);
  fields.Refuse("export_max_to_keep", nullptr, kLater);
  fields.Refuse("export_only_final_stage_ckpt", true, kLater);
}

void RefuseOtherRuntimes(ConfigFields& fields) {
  fields.Refuse("gpu_thread_mode", nullptr, kThreads);
  fields.Refuse("dataset_num_private_threads", nullptr, kThreads);
  fields.Refuse("per_gpu_thread_count", 0, kThreads);
  fields.Refuse("tpu", nullptr, kTpu);
  fields.Refuse("worker_hosts", nullptr, kTfConfig);
  fields.Refuse("task_index", -1, kTfConfig);
  fields.Refuse("all_reduce_alg", nullptr, kCollectives);
  fields.Refuse("num_packs", 1, kCollectives);
  fields.Refuse("run_eagerly", false, kOneGraph);
  fields.Refuse("batchnorm_spatial_persistent", false,
                "the kernels choose it themselves");
  fields.Refuse("tpu_enable_xla_dynamic_padder", nullptr, kTpu);
  fields.Refuse("num_cores_per_replica", 1, kTpu);
  fields.Refuse("default_shard_dim", -1, kTpu);
  fields.Refuse("use_tpu_mp_strategy", false, kTpu);
}

}  // namespace

void DataConfig::Describe(ConfigFields& fields) {
  fields
      .Add("input_path", &input_path,
           "TFRecord files, gzip or not: paths or patterns")
      .OrCommaList();
  fields
      .Add("global_batch_size", &global_batch_size,
           "examples of a step, of all replicas together")
      .AtLeast(0);
  fields.Add("is_training", &is_training, "shuffles and repeats").OrNull();
  fields.Add("drop_remainder", &drop_remainder,
             "leaves out a last batch that is not full");
  fields
      .Add("shuffle_buffer_size", &shuffle_buffer_size,
           "examples among which the next one is chosen")
      .AtLeast(0);
  fields.Add("cache", &cache, "keeps parsed examples in memory, if they fit");
  fields
      .Add("ram_budget", &ram_budget,
           "MiB for the cache; 0: a quarter of the memory")
      .AtLeast(0)
      .OrNull();
  fields.Add("cycle_length", &cycle_length, "files read at once; null: chosen")
      .AtLeast(1);
  fields
      .Add("block_length", &block_length,
           "examples of a file before the next file's turn")
      .AtLeast(1);
  fields.Add("deterministic", &deterministic,
             "the order of examples always depends on the seed only");
  fields.Add("sharding", &sharding, "each worker reads its share");
  fields.Add("seed", &seed, "of the order of examples; null: runtime.seed")
      .AtLeast(0);
  fields
      .Add("prefetch_buffer_size", &prefetch_buffer_size,
           "batches made ahead; null: chosen")
      .AtLeast(0);
  RefuseForeignInputs(fields);
}

void TaskConfig::Describe(ConfigFields& fields) {
  fields.Add("name", &name, "of the task, in the log").OrNull();
  fields.Add("init_checkpoint", &init_checkpoint,
             "checkpoint, or folder whose latest, the first step starts from");
  fields.Add("allow_no_match", &allow_no_match,
             "trains even if the base model shares no variable with this one");
  fields.Add("base_model", &base_model,
             "SavedModel of which the first step takes over what fits");
  fields.Add("warm_start_map", &warm_start_map,
             "our variable=that of the base model");
  fields.Add("schema_path", &schema_path, "a Schema as text");
  fields.Add("transform_graph_path", &transform_graph_path,
             "folder of a Transform component");
  fields.Add("train_data", &train_data, "what is learned from");
  fields.Add("validation_data", &validation_data, "what is measured on");
  fields.Refuse("model", nullptr, "this task has no settings of that name");
  fields.Refuse("differential_privacy_config", nullptr,
                "no optimizer here adds noise to gradients");
  fields.Refuse("allow_image_summary", false, kLater);
}

void TrainerConfig::Describe(ConfigFields& fields) {
  fields.Add("trainer", &trainer,
             "the registered trainer; empty: the built-in one");
  AddIntervals(*this, fields);
  AddBestCheckpoint(*this, fields);
  AddRecovery(*this, fields);
  fields
      .Add("validation_summary_subdir", &validation_summary_subdir,
           "folder of the evaluation's summaries")
      .NotEmpty();
  fields.Add("preemption_on_demand_checkpoint",
             &preemption_on_demand_checkpoint,
             "saves when the run is asked to stop");
  fields.Add("optimizer_config", &optimizer_config, "how the weights change");
  RefuseOtherLoops(fields);
}

absl::Status TrainerConfig::Validate() const {
  if (summary_interval % steps_per_loop != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "summary_interval is ", summary_interval,
        ", expected a multiple of steps_per_loop, which is ", steps_per_loop));
  }
  if (best_checkpoint_export_subdir.empty() ||
      !best_checkpoint_eval_metric.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "best_checkpoint_eval_metric must be set: best_checkpoint_export_subdir "
      "is, and it says which checkpoint is best");
}

void RuntimeConfig::Describe(ConfigFields& fields) {
  fields
      .Add("distribution_strategy", &distribution_strategy,
           "on which devices a step runs")
      .AnyOf({"one_device", "mirrored", "multi_worker_mirrored"});
  fields.Add("num_gpus", &num_gpus, "GPUs for mirrored").AtLeast(0);
  fields
      .Add("num_virtual_cpus", &num_virtual_cpus,
           "CPU devices for mirrored; 0: one")
      .AtLeast(0);
  fields.Add("enable_xla", &enable_xla, "compiles the step");
  fields
      .Add("mixed_precision_dtype", &mixed_precision_dtype,
           "type of the multiplications")
      .AnyOf({"float32", "float16", "bfloat16"});
  fields.Add("loss_scale", &loss_scale, "multiplies the loss, with float16")
      .Above(0);
  fields
      .Add("seed", &seed,
           "of the initial weights, and of the order of examples where the "
           "data has none")
      .AtLeast(0);
  RefuseOtherRuntimes(fields);
}

void ExperimentConfig::Describe(ConfigFields& fields) {
  if (task != nullptr) fields.Add("task", task.get(), "what is learned");
  fields.Add("trainer", &trainer, "how it is trained");
  fields.Add("runtime", &runtime, "where it is trained");
}

}  // namespace rekindle
