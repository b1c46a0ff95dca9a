#include "rekindle/training/run_experiment.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/config/config_tree.h"
#include "component/contract/whole_file.h"
#include "rekindle/training/best_checkpoint.h"
#include "rekindle/training/checkpoint_manager.h"
#include "rekindle/training/controller.h"
#include "rekindle/training/summary_writer.h"

namespace rekindle {
namespace {

bool Trains(const std::string& mode) {
  return mode.find("train") != std::string::npos;
}

// "train_and_post_eval" evaluates as well, "train" does not.
bool Evaluates(const std::string& mode) {
  return mode.find("eval") != std::string::npos;
}

absl::Status CheckMode(const std::string& mode) {
  for (const char* known : {"train", "eval", "train_and_eval",
                            "continuous_eval", "train_and_post_eval"}) {
    if (mode == known) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--mode is '", mode,
      "', expected train, eval, train_and_eval, continuous_eval or "
      "train_and_post_eval"));
}

absl::StatusOr<Logs> Run(Controller& controller, const std::string& mode,
                         const TrainerConfig& config, const Trainer& trainer,
                         const NextStep& next) {
  if (mode == "train") {
    RK_RETURN_IF_ERROR(controller.Train(config.train_steps).status());
    return Logs();
  }
  if (mode == "train_and_post_eval") {
    RK_RETURN_IF_ERROR(controller.Train(config.train_steps).status());
    if (next == NextStep::kStop) return Logs();
    return controller.Evaluate(config.validation_steps);
  }
  if (mode == "train_and_eval") {
    return controller.TrainAndEvaluate(config.train_steps,
                                       config.validation_steps,
                                       config.validation_interval);
  }
  if (mode == "eval") return controller.Evaluate(config.validation_steps);
  return controller.EvaluateContinuously(
      config.validation_steps, absl::Seconds(config.continuous_eval_timeout),
      [&] { return trainer.global_step() >= config.train_steps; });
}

// Where summaries go, while a run lasts. Others than the chief write none.
struct Summaries {
  std::unique_ptr<SummaryWriter> train;
  std::unique_ptr<SummaryWriter> validation;
};

absl::StatusOr<Summaries> OpenSummaries(const std::string& mode,
                                        const TrainerConfig& config,
                                        const std::string& model_dir) {
  Summaries summaries;
  if (Trains(mode)) {
    RK_ASSIGN_OR_RETURN(summaries.train,
                        OpenSummaryWriter(absl::StrCat(model_dir, "/train")));
  }
  if (Evaluates(mode)) {
    RK_ASSIGN_OR_RETURN(summaries.validation,
                        OpenSummaryWriter(absl::StrCat(
                            model_dir, "/", config.validation_summary_subdir)));
  }
  return summaries;
}

// What the configuration asks for beside training and evaluating.
absl::Status AddActions(const TrainerConfig& config,
                        const std::string& model_dir, Trainer& trainer,
                        ControllerOptions* options) {
  if (config.recovery_max_trials >= 0) {
    options->train_actions.push_back(
        MakeRecovery({.loss_upper_bound = config.loss_upper_bound,
                      .begin_steps = config.recovery_begin_steps,
                      .max_trials = config.recovery_max_trials,
                      .log = options->log},
                     &trainer, options->checkpoints));
  }
  if (config.best_checkpoint_export_subdir.empty()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(
      Action keep_best,
      MakeBestCheckpointExport(
          {.folder = absl::StrCat(model_dir, "/",
                                  config.best_checkpoint_export_subdir),
           .metric = config.best_checkpoint_eval_metric,
           .comparison = config.best_checkpoint_metric_comp,
           .global_step = [&trainer] { return trainer.global_step(); },
           .state = [&trainer] { return trainer.State(); }}));
  options->eval_actions.push_back(std::move(keep_best));
  return absl::OkStatus();
}

}  // namespace

absl::Status SaveParams(const ExperimentConfig& params,
                        const std::string& model_dir) {
  return ReplaceFile(absl::StrCat(model_dir, "/params.yaml"),
                     ConfigToYaml(params));
}

absl::StatusOr<RunResult> RunExperiment(const Strategy& strategy, Task& task,
                                        const std::string& mode,
                                        const ExperimentConfig& params,
                                        const std::string& model_dir,
                                        const RunOptions& options) {
  RK_RETURN_IF_ERROR(CheckMode(mode));
  const bool chief = strategy.is_chief();
  const TrainerConfig& config = params.trainer;

  // Shared with the trainer, which outlives this call.
  const auto next = std::make_shared<NextStep>(NextStep::kGoOn);
  const auto ask = [next, before = options.before_step](int64_t step) {
    if (before) *next = before(step);
    return *next;
  };
  RunResult result;
  RK_ASSIGN_OR_RETURN(result.trainer,
                      MakeTrainer({.config = &params,
                                   .task = &task,
                                   .strategy = &strategy,
                                   .train = Trains(mode),
                                   .evaluate = chief && Evaluates(mode),
                                   .before_step = ask}));
  Trainer& trainer = *result.trainer;

  CheckpointManager checkpoints(model_dir, config.max_to_keep);
  Summaries summaries;
  if (chief) {
    RK_ASSIGN_OR_RETURN(summaries, OpenSummaries(mode, config, model_dir));
    if (summaries.train != nullptr) {
      RK_RETURN_IF_ERROR(summaries.train->Graph(trainer.Graph()));
    }
  }
  ControllerOptions outer{
      .trainer = &trainer,
      .steps_per_loop = config.steps_per_loop,
      .checkpoints = &checkpoints,
      .is_chief = chief,
      .saves_when_stopped = config.preemption_on_demand_checkpoint,
      .checkpoint_interval = config.checkpoint_interval,
      .train_actions = options.train_actions,
      .eval_actions = options.eval_actions,
      .train_summaries = summaries.train.get(),
      .eval_summaries = summaries.validation.get(),
      .summary_interval = config.summary_interval,
      .log = chief ? options.log : nullptr,
      // Steps ask by themselves, where there are some.
      .next_step = [&, next, ask] {
        return Trains(mode) ? *next : ask(trainer.global_step());
      }};
  RK_RETURN_IF_ERROR(AddActions(config, model_dir, trainer, &outer));

  RK_ASSIGN_OR_RETURN(const auto controller, Controller::Make(outer));
  if (options.on_start) {
    RK_RETURN_IF_ERROR(options.on_start(trainer, controller->restored()));
  }
  RK_ASSIGN_OR_RETURN(result.logs,
                      Run(*controller, mode, config, trainer, *next));
  result.stopped = *next == NextStep::kStop;
  return result;
}

}  // namespace rekindle
