// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_INITIALIZATION_H_
#define REKINDLE_COMPONENT_TRAINING_INITIALIZATION_H_

#include "absl/status/status.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/model.h"
#include "rekindle/training/restore_report.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Takes the values of `config`'s init_checkpoint or base_model over into
// `values`; does nothing when neither is set. What Task::Initialize promises.
absl::Status InitializeFrom(const TaskConfig& config, const Model& model,
                            NamedTensors* values, RestoreReport* report);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_INITIALIZATION_H_
