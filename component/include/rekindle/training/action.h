#ifndef REKINDLE_TRAINING_ACTION_H_
#define REKINDLE_TRAINING_ACTION_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rekindle/training/metric.h"

namespace rekindle {

class CheckpointManager;
class Trainer;

// Something to do after a loop of training or an evaluation, with what it
// measured. An error ends the run.
using Action = std::function<absl::Status(const Logs&)>;

struct RecoveryOptions {
  double loss_upper_bound = 1e6;
  int64_t begin_steps = 0;  // before that step nothing is looked at
  int64_t max_trials = 0;   // 0: the first bad loss ends the run
  // Gets a line each time it goes back. May be empty.
  std::function<void(absl::string_view line)> log = {};
};

// After a loop of training whose loss is not a number, or above the bound, goes
// back to the latest checkpoint and on from it with the examples that come
// next: those that led there would lead there again. Nothing is owned, all must
// outlive the action.
//
//   INVALID_ARGUMENT  the loss is bad once more than max_trials allows, or
//                     there is no checkpoint to go back to
Action MakeRecovery(const RecoveryOptions& options, Trainer* trainer,
                    const CheckpointManager* checkpoints);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_ACTION_H_
