#include "rekindle/training/run_experiment.h"

#include <atomic>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
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

absl::StatusOr<Logs> Run(Controller& controller, const std::string& mode,
                         const TrainerConfig& config, const Trainer& trainer) {
  if (mode == "train") {
    RK_RETURN_IF_ERROR(controller.Train(config.train_steps).status());
    return Logs();
  }
  if (mode == "train_and_post_eval") {
    RK_RETURN_IF_ERROR(controller.Train(config.train_steps).status());
    return controller.Evaluate(config.validation_steps);
  }
  if (mode == "train_and_eval") {
    return controller.TrainAndEvaluate(config.train_steps,
                                       config.validation_steps,
                                       config.validation_interval);
  }
  if (mode == "eval") return controller.Evaluate(config.validation_steps);
  if (mode == "continuous_eval") {
    return controller.EvaluateContinuously(
        config.validation_steps, absl::Seconds(config.continuous_eval_timeout),
        [&] { return trainer.global_step() >= config.train_steps; });
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--mode is '", mode,
      "', expected train, eval, train_and_eval, continuous_eval or "
      "train_and_post_eval"));
}

}  // namespace

absl::StatusOr<RunResult> RunExperiment(const Strategy& strategy, Task& task,
                                        const std::string& mode,
                                        const ExperimentConfig& params,
                                        const std::string& model_dir,
                                        const RunOptions& options) {
  bool stopped = false;
  RunResult result;
  RK_ASSIGN_OR_RETURN(result.trainer,
                      MakeTrainer({.config = &params,
                                   .task = &task,
                                   .strategy = &strategy,
                                   .train = Trains(mode),
                                   .evaluate = Evaluates(mode),
                                   .before_step = [&](int64_t step) {
                                     stopped = options.before_step &&
                                               !options.before_step(step);
                                     return !stopped;
                                   }}));
  Trainer& trainer = *result.trainer;

  const TrainerConfig& config = params.trainer;
  CheckpointManager checkpoints(model_dir, config.max_to_keep);
  ControllerOptions outer{.trainer = &trainer,
                          .steps_per_loop = config.steps_per_loop,
                          .checkpoints = &checkpoints,
                          .checkpoint_interval = config.checkpoint_interval,
                          .train_actions = options.train_actions,
                          .eval_actions = options.eval_actions,
                          .summary_interval = config.summary_interval,
                          .log = options.log,
                          .should_stop = [&] { return stopped; }};
  // ...
  RK_ASSIGN_OR_RETURN(const auto controller, Controller::Make(outer));
  RK_ASSIGN_OR_RETURN(result.logs, Run(*controller, mode, config, trainer));
  return result;
}

}  // namespace rekindle
