#ifndef REKINDLE_COMPONENT_STEPS_TRAIN_INPUT_H_
#define REKINDLE_COMPONENT_STEPS_TRAIN_INPUT_H_

#include "absl/status/statusor.h"
#include "component/contract/executor_input.h"
#include "component/launch/step.h"
#include "component/steps/train.h"

namespace rekindle {

// What the process that trains is given: TFX's FnArgs of these inputs and
// options, and where to answer.
//
//   INVALID_ARGUMENT     an artifact has no such split
//   FAILED_PRECONDITION  INPUT_UNUSABLE: an artifact does not hold the one file
//                        that it should, or not what it should
absl::StatusOr<ExecutorInput> MakeTrainInput(const TrainOptions& options,
                                             const StepContext& context);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_TRAIN_INPUT_H_
