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
#include "base/file_util.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/step_flags.h"
#include "cli/step_part.h"
#include "cli/train_flags.h"
#include "cli/trainer_program.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/rewrite.h"
#include "component/steps/train.h"
#include "component/steps/train_child.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

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

// Our own Python program `name` is where it belongs.
absl::Status CheckPythonProgram(const std::string& name,
                                absl::string_view what_for) {
  const std::string program = JoinPath(PythonLibrary(), name);
  if (PathExists(program)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("there is no ", program, ", which ", what_for,
                   "; REKINDLE_PYTHON_LIB names its folder; in a container, "
                   "use the image rekindle:trainer-python"));
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
  return CheckPythonProgram("run_module.py", "runs modules in Python");
}

absl::StatusOr<std::vector<std::string>> RewritesFromFlag(
    const std::vector<std::string>& rewrites) {
  RK_RETURN_IF_ERROR(CheckRewrites(rewrites));
  if (!rewrites.empty()) {
    RK_RETURN_IF_ERROR(
        CheckPythonProgram("rewrite_model.py", "rewrites models"));
  }
  return rewrites;
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
  RK_ASSIGN_OR_RETURN(options.rewrites, RewritesFromFlag(flags.rewrites));
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
  options.require_gpu = flags.require_gpu;
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
  const char* variable = std::getenv("TF_CONFIG");
  const std::string tf_config = variable == nullptr ? "" : variable;
  const absl::StatusOr<std::optional<StepPart>> part =
      FindPart({.tf_config = tf_config,
                .run_id = step.run_id,
                .starts_workers = train.workers.has_value(),
                .chief_timeout = train.chief_timeout});
  if (!part.ok()) return Fail(part.status());
  return RunStep(
      step,
      [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(TrainOptions options, MakeTrainOptions(train));
        RK_ASSIGN_OR_RETURN(const WorkerRole role, ParseWorkerRole(tf_config));
        spec.has_workers = !role.alone;
        return MakeTrain(std::move(options), spec);
      },
      /*exit_rule=*/nullptr, *part);
}

}  // namespace rekindle
