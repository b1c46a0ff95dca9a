#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/step_part.h"
#include "cli/trainer_program.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/train.h"
#include "component/steps/train_child.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

// The flags of `train`, before they are understood.
struct TrainFlags {
  std::string examples = "latest";
  std::string schema = "latest";
  std::string base_model = "latest";
  std::string transform_graph = "none";
  std::string hyperparameters = "none";
  std::string statistics = "none";
  std::string train_args = "{}";
  std::string eval_args = "{}";
  std::optional<int64_t> train_steps;
  std::optional<int64_t> eval_steps;
  std::string train_splits;
  std::string eval_splits;
  std::string label_key;
  std::string custom_config = "null";
  std::string trainer = TrainerBesideUs();
  std::string module_file;
  std::string python = "python3";
  std::string executor = "auto";
  std::optional<int64_t> workers;
  std::optional<int64_t> worker_restarts;
  absl::Duration chief_timeout = absl::Minutes(10);
  bool skip_validation = false;
  absl::Duration grace = absl::Seconds(25);

  void Bind(FlagSet& flags);
};

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
               "the interpreter for a module in Python");
  flags.String(
      "executor", "NAME", &executor,
      "which function of a module in Python trains: generic calls "
      "run_fn, estimator calls trainer_fn; auto: run_fn if it has one");
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
             "without trying it: that it loads, and answers finite numbers");
  flags.Duration("grace", &grace,
                 "time to write a checkpoint when stopped, then SIGKILL");
}

// Lays the shorthands over the arguments. `side` is "train" or "eval".
template <typename Args>
absl::Status ApplyShorthands(const std::string& side,
                             const std::optional<int64_t>& steps,
                             const std::string& splits, Args& args) {
  if (steps.has_value()) {
    if (*steps <= 0 || *steps > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", side, "-steps is ", *steps, "; it must be 1 or more"));
    }
    args.set_num_steps(static_cast<int32_t>(*steps));
  }
  if (!splits.empty()) {
    args.clear_splits();
    for (const absl::string_view split : absl::StrSplit(splits, ',')) {
      args.add_splits(std::string(split));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<nlohmann::json> ParseCustomConfig(const std::string& text,
                                                 const std::string& label_key) {
  auto config = nlohmann::json::parse(text, nullptr,
                                      /*allow_exceptions=*/false);
  if (!config.is_object() && !config.is_null()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--custom-config: '", text, "' is not a JSON object"));
  }
  if (!label_key.empty()) config["label_key"] = label_key;
  return config;
}

absl::StatusOr<std::optional<int>> NumberFromFlag(
    const std::string& name, const std::optional<int64_t>& number, int least,
    int most) {
  if (!number.has_value()) return std::nullopt;
  if (*number >= least && *number <= most) return static_cast<int>(*number);
  return absl::InvalidArgumentError(absl::StrCat(
      "--", name, " is ", *number, ", expected ", least, " to ", most));
}

// Refuses what goes with rekindle-trainer only.
absl::Status CheckPythonModule(const TrainFlags& flags) {
  if (flags.workers.has_value()) {
    return absl::InvalidArgumentError(
        "--workers is for rekindle-trainer; a module in Python chooses its own "
        "tf.distribute strategy");
  }
  if (flags.trainer != TrainerBesideUs()) {
    return absl::InvalidArgumentError(
        "--trainer and a --module-file in Python are given; --python names "
        "what runs the module");
  }
  const std::string runner = JoinPath(PythonLibrary(), "run_module.py");
  if (PathExists(runner)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("there is no ", runner,
                   ", which runs modules in Python; REKINDLE_PYTHON_LIB names "
                   "its folder"));
}

absl::Status CheckModule(const TrainFlags& flags, const TrainOptions& options) {
  if (!flags.module_file.empty() && !PathExists(flags.module_file)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--module-file: there is no '", flags.module_file, "'"));
  }
  const std::vector<std::string> executors = {"auto", "generic", "estimator"};
  if (std::find(executors.begin(), executors.end(), flags.executor) ==
      executors.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--executor is '", flags.executor, "'; it is one of ",
                     absl::StrJoin(executors, ", ")));
  }
  if (HasPythonModule(options)) return CheckPythonModule(flags);
  if (flags.executor == "auto") return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--executor is for a --module-file in Python");
}

absl::StatusOr<TrainOptions> MakeTrainOptions(const TrainFlags& flags) {
  TrainOptions options;
  RK_ASSIGN_OR_RETURN(options.examples,
                      RefFromFlag("examples", flags.examples));
  RK_ASSIGN_OR_RETURN(options.schema, RefFromFlag("schema", flags.schema));
  RK_ASSIGN_OR_RETURN(options.base_model,
                      RefFromFlag("base-model", flags.base_model));
  RK_ASSIGN_OR_RETURN(options.transform_graph,
                      RefFromFlag("transform-graph", flags.transform_graph));
  RK_ASSIGN_OR_RETURN(options.hyperparameters,
                      RefFromFlag("hyperparameters", flags.hyperparameters));
  RK_ASSIGN_OR_RETURN(options.statistics,
                      RefFromFlag("statistics", flags.statistics));
  RK_ASSIGN_OR_RETURN(options.train_args, ParseTrainArgs(flags.train_args));
  RK_ASSIGN_OR_RETURN(options.eval_args, ParseEvalArgs(flags.eval_args));
  RK_RETURN_IF_ERROR(ApplyShorthands("train", flags.train_steps,
                                     flags.train_splits, options.train_args));
  RK_RETURN_IF_ERROR(ApplyShorthands("eval", flags.eval_steps,
                                     flags.eval_splits, options.eval_args));
  RK_ASSIGN_OR_RETURN(options.custom_config,
                      ParseCustomConfig(flags.custom_config, flags.label_key));
  options.trainer_binary = flags.trainer;
  options.module_file = flags.module_file;
  options.python = flags.python;
  options.python_library = PythonLibrary();
  options.executor = flags.executor;
  RK_RETURN_IF_ERROR(CheckModule(flags, options));
  RK_ASSIGN_OR_RETURN(options.workers,
                      NumberFromFlag("workers", flags.workers, 1, 64));
  RK_ASSIGN_OR_RETURN(
      options.worker_restarts,
      NumberFromFlag("worker-restarts", flags.worker_restarts, 0, 1000));
  if (options.worker_restarts.has_value() && !options.workers.has_value()) {
    return absl::InvalidArgumentError(
        "--worker-restarts is given without --workers");
  }
  options.validator_binary = TrainerBesideUs();
  options.skip_validation = flags.skip_validation;
  options.grace = flags.grace;
  options.on_line = [](absl::string_view line) { std::cerr << line << '\n'; };
  return options;
}

}  // namespace

int TrainCommand(const Arguments& arguments) {
  StepFlags step("Trainer");
  TrainFlags train;
  FlagSet flags(
      "train --pipeline=NAME [--label-key=NAME | --module-file=FILE] [flags]",
      "Trains a model, from the latest one of the pipeline if there is one, "
      "and publishes it.",
      "rekindle train --pipeline=penguin --label-key=species "
      "--train-steps=100");
  train.Bind(flags);
  step.BindInputs(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  const char* tf_config = std::getenv("TF_CONFIG");
  const absl::StatusOr<std::optional<StepPart>> part =
      FindPart({.tf_config = tf_config == nullptr ? "" : tf_config,
                .run_id = step.run_id,
                .starts_workers = train.workers.has_value(),
                .chief_timeout = train.chief_timeout});
  if (!part.ok()) return Fail(part.status());
  return RunStep(
      step,
      [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(TrainOptions options, MakeTrainOptions(train));
        return MakeTrain(std::move(options), spec);
      },
      /*exit_rule=*/nullptr, *part);
}

}  // namespace rekindle
