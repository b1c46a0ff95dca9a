#ifndef REKINDLE_TRAINING_BEST_CHECKPOINT_H_
#define REKINDLE_TRAINING_BEST_CHECKPOINT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "rekindle/training/action.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Which checkpoint to keep, and where it comes from.
struct BestCheckpoint {
  std::string folder;  // gets best_ckpt-<step> and info.json
  // What an evaluation measures; `a|b` is the measure `a/b`.
  std::string metric;
  std::string comparison = "higher";  // or "lower"
  // Give what is evaluated: the step, and what its checkpoint holds.
  std::function<int64_t()> global_step;
  std::function<absl::StatusOr<NamedTensors>()> state;
};

// An action for after evaluations that keeps the best checkpoint so far: when
// the metric is better than ever before, strictly, it is saved in place of the
// one before, with everything the evaluation measured and
// `best_ckpt_global_step` in info.json. What an earlier run left in the folder
// counts: after a restart the best stays the best. A crash at any moment leaves
// the one before or the new one. A metric that is not a number is never better.
//
//   INVALID_ARGUMENT  the comparison is neither word, or there is no metric
//   DATA_LOSS         info.json is damaged
//   UNAVAILABLE       the folder cannot be read or written
//
// The action's errors: UNAVAILABLE, what `state` answers, and
//
//   INVALID_ARGUMENT  evaluations do not measure the metric
absl::StatusOr<Action> MakeBestCheckpointExport(BestCheckpoint best);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_BEST_CHECKPOINT_H_
