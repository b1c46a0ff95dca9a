#ifndef REKINDLE_TRAINING_CHECKPOINT_MANAGER_H_
#define REKINDLE_TRAINING_CHECKPOINT_MANAGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// The checkpoints of one training run in a folder, named `ckpt-<step>`, with
// the file `checkpoint` that says which is the latest: what Python's
// tf.train.latest_checkpoint and tf.train.load_checkpoint read. A crash at any
// moment leaves the checkpoint before in place. Thread-compatible; one manager
// per folder.
class CheckpointManager {
 public:
  CheckpointManager(std::string folder, int64_t max_to_keep);

  // Writes a checkpoint, makes it the latest and removes those beyond
  // max_to_keep. Creates the folder.
  //
  //   UNAVAILABLE  the folder is full or not writable
  absl::Status Save(int64_t step, const NamedTensors& tensors);

  // Path prefix of the latest checkpoint, for ReadTensors; nullopt when none
  // was saved, which is not an error.
  //
  //   DATA_LOSS    the file `checkpoint` is damaged
  //   UNAVAILABLE  it cannot be read
  absl::StatusOr<std::optional<std::string>> Latest() const;

 private:
  // Names of the checkpoints the state file lists, oldest first.
  absl::StatusOr<std::vector<std::string>> Listed() const;
  absl::Status WriteState(const std::vector<std::string>& names) const;
  void Remove(const std::string& name) const;

  const std::string folder_;
  const int64_t max_to_keep_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CHECKPOINT_MANAGER_H_
