#include "cli/train_flags.h"

#include "absl/strings/str_cat.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

void TrainFlags::Bind(FlagSet& flags) {
  flags.String("examples", "REF", &examples,
               absl::StrCat("training data: ", kArtifactRefForms));
  flags.String("schema", "REF", &schema, "its schema");
  flags.String("base-model", "REF", &base_model,
               "model to start from; none starts cold");
  flags.String("transform-graph", "REF", &transform_graph,
               "what a Transform put out");
  flags.String("hyperparameters", "REF", &hyperparameters,
               "what a Tuner found: one JSON file");
  flags.String("statistics", "REF", &statistics,
               "of the examples; recorded as an input");
  flags.OptionalInt("train-steps", "N", &train_steps, "steps to train");
  flags.OptionalInt("eval-steps", "N", &eval_steps,
                    "batches to evaluate; all without it");
  flags.String("train-splits", "A,B", &train_splits,
               "splits to train on (default: train)");
  flags.String("eval-splits", "A,B", &eval_splits,
               "splits to evaluate on (default: eval)");
  flags.String("train-args", "JSON", &train_args,
               "TFX's TrainArgs, for the four flags above");
  flags.String("eval-args", "JSON", &eval_args, "TFX's EvalArgs, likewise");
  flags.String("label-key", "NAME", &label_key,
               "the feature to predict; short for custom_config's label_key");
  flags.String("custom-config", "JSON", &custom_config,
               "settings of the model, an object; docs/training.md lists them");
  flags.String("trainer", "PROGRAM", &trainer, "the program that trains");
  flags.String("module-file", "FILE", &module_file,
               "your own code: a TFX module in Python with run_fn "
               "(docs/python-modules.md), or experiments and run_fn in C++, "
               "FILE.so (docs/modules.md)");
  flags.String("python", "PROGRAM", &python,
               "the interpreter for a module in Python, and for --rewrite");
  flags.String(
      "executor", "NAME", &executor,
      "which function of a module in Python trains: generic calls "
      "run_fn, estimator calls trainer_fn; auto: run_fn if it has one");
  flags.Strings("rewrite", "KIND[:SIGNATURE,...]", &rewrites,
                "also publish the model as tflite, or as saved_model with "
                "these signatures only; may be repeated");
  flags.OptionalInt("workers", "N", &workers,
                    "processes on this machine that train together, each on "
                    "its share of a batch; one without it");
  flags.OptionalInt("worker-restarts", "N", &worker_restarts,
                    "how often all of them are started again, from the last "
                    "checkpoint, when one is lost (default: 3)");
  flags.Duration("chief-timeout", &chief_timeout,
                 "how long a process that TF_CONFIG makes a worker waits for "
                 "the chief to begin");
  flags.Bool("skip-validation", &skip_validation,
             "publish a model of another trainer, or of a module in Python, "
             "without trying it: that it loads, and answers finite numbers; "
             "and what --rewrite makes, without comparing it");
  flags.Bool("require-gpu", &require_gpu,
             "fail with NO_GPU, and why, rather than train on the CPU; without "
             "runtime.num_gpus all GPUs are used");
  flags.Duration("grace", &grace,
                 "time to write a checkpoint when stopped, then SIGKILL");
}

}  // namespace rekindle
