#ifndef REKINDLE_TRAINING_RUN_EXPERIMENT_H_
#define REKINDLE_TRAINING_RUN_EXPERIMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rekindle/training/action.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/next_step.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task.h"
#include "rekindle/training/trainer.h"

namespace rekindle {

// What a run takes from the program around it. All of it may be left out.
struct RunOptions {
  std::vector<Action> train_actions = {};
  std::vector<Action> eval_actions = {};
  // Called before every step with the global step, and from time to time by a
  // run that waits for checkpoints.
  std::function<NextStep(int64_t)> before_step = {};
  // Called once the variables have values, before any step; `resumed`: those
  // of a checkpoint.
  std::function<absl::Status(Trainer&, bool resumed)> on_start = {};
  // Gets lines.
  std::function<void(absl::string_view line)> log = {};
};

struct RunResult {
  Logs logs;                         // of the last evaluation; none without one
  std::unique_ptr<Trainer> trainer;  // with the trained model
  bool stopped = false;              // before_step said kStop
};

// Writes `params` into `model_dir`, which must exist, as params.yaml.
//
//   UNAVAILABLE  the folder is full or not writable
absl::Status SaveParams(const ExperimentConfig& params,
                        const std::string& model_dir);

// Runs `task` as `params` say: makes its trainer and a controller, and lets
// them train, evaluate, or both. `mode` is train, eval, train_and_eval,
// continuous_eval or train_and_post_eval. Checkpoints, summaries and the best
// checkpoint go into `model_dir`. Everything passed must outlive the result.
//
// It is made to be copied: a run that needs more starts from its source.
//
//   INVALID_ARGUMENT  there is no such mode, or the loss is not a number
//   and what the task and the strategy return
absl::StatusOr<RunResult> RunExperiment(const Strategy& strategy, Task& task,
                                        const std::string& mode,
                                        const ExperimentConfig& params,
                                        const std::string& model_dir,
                                        const RunOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_RUN_EXPERIMENT_H_
