#ifndef REKINDLE_COMPONENT_TRAINING_STANDARD_TRAINER_H_
#define REKINDLE_COMPONENT_TRAINING_STANDARD_TRAINER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "rekindle/training/trainer.h"

namespace rekindle {

// The trainer of an experiment that names none: feeds the task's batches to
// the task's steps, on all replicas of the strategy.
//
//   INVALID_ARGUMENT  the configuration or the task's graph is not valid; or
//                     what the task returns for its data or model
absl::StatusOr<std::unique_ptr<Trainer>> MakeStandardTrainer(
    const TrainerParts& parts);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_STANDARD_TRAINER_H_
