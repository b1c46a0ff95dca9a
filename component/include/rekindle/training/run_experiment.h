#ifndef REKINDLE_TRAINING_RUN_EXPERIMENT_H_
#define REKINDLE_TRAINING_RUN_EXPERIMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task.h"

namespace rekindle {

// Runs `task` as `params` say: makes its trainer and a controller, and lets it
// train, evaluate, or both. `mode` is train, eval, train_and_eval,
// continuous_eval or train_and_post_eval. Checkpoints, summaries and the best
// checkpoint go into `model_dir`. Returns what the last evaluation measured.
//
// It is made to be copied: a run that needs more starts from its source.
//
//   INVALID_ARGUMENT  there is no such mode
absl::StatusOr<Logs> RunExperiment(const Strategy& strategy, Task& task,
                                   const std::string& mode,
                                   const ExperimentConfig& params,
                                   const std::string& model_dir);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_RUN_EXPERIMENT_H_
