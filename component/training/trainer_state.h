// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_TRAINER_STATE_H_
#define REKINDLE_COMPONENT_TRAINING_TRAINER_STATE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"

namespace rekindle {

// What a checkpoint holds beside variables. A plain value.
struct TrainerState {
  int64_t global_step = 0;
  InputPosition input;

  bool operator==(const TrainerState&) const = default;
};

// Adds it to the tensors of a checkpoint.
void AddTrainerState(const TrainerState& state, NamedTensors* tensors);

// Reads it back, and checks that the checkpoint has all of `variables`.
//
//   FAILED_PRECONDITION  the checkpoint is of another model (what differs)
absl::StatusOr<TrainerState> ReadTrainerState(
    const NamedTensors& tensors, const std::vector<VariableSpec>& variables);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_TRAINER_STATE_H_
