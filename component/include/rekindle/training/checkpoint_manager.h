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

// The checkpoints of one training run in a folder, named `<name>-<step>`, with
// the file `checkpoint` that says which is the latest: what Python's
// tf.train.latest_checkpoint and tf.train.load_checkpoint read. A crash at any
// moment leaves the checkpoint before in place. Thread-compatible; one manager
// per folder.
class CheckpointManager {
 public:
  CheckpointManager(std::string folder, int64_t max_to_keep,
                    std::string name = "ckpt");

  // Writes a checkpoint, makes it the latest and removes those beyond
  // max_to_keep. Creates the folder. It is Write, then MakeLatest.
  //
  //   UNAVAILABLE  the folder is full or not writable
  absl::Status Save(int64_t step, const NamedTensors& tensors);

  // The two halves of Save, for who has something to do between them.
  //
  //   UNAVAILABLE  the folder is full or not writable
  absl::Status Write(int64_t step, const NamedTensors& tensors) const;
  absl::Status MakeLatest(int64_t step) const;

  // Path prefix of the checkpoint of `step`, written or not.
  std::string PrefixOf(int64_t step) const;

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
  const std::string name_;
};

// Path prefix of the checkpoint that a person means by `path`: the prefix
// itself; or a folder, which stands for its latest checkpoint, or for the
// variables of the SavedModel in it.
//
//   NOT_FOUND    there is no checkpoint
//   DATA_LOSS    the folder's file `checkpoint` is damaged
//   UNAVAILABLE  it cannot be read
absl::StatusOr<std::string> FindCheckpoint(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CHECKPOINT_MANAGER_H_
