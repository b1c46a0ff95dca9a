// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_RUN_STATE_H_
#define REKINDLE_COMPONENT_TRAINING_RUN_STATE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "component/contract/executor_output.h"
#include "component/io/tensor_bundle.h"
#include "component/tasks/tabular_classifier.h"

namespace rekindle {

// What a checkpoint holds besides variables: `global_step` (int64), which is
// also the position of the input, and what the run has to tell so far, so that
// a resumed run reports the losses and the warm start of its first attempt.

void AddRunState(const ExecutorOutput& output, NamedTensors* tensors);

// The run state of a checkpoint, which must hold `variables`, with their
// shapes.
//
//   FAILED_PRECONDITION  the checkpoint is of another model
absl::StatusOr<ExecutorOutput> RestoreRunState(
    const NamedTensors& tensors, const std::vector<VariableSpec>& variables);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_RUN_STATE_H_
