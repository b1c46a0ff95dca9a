#ifndef REKINDLE_COMPONENT_STEPS_TRAIN_RESULT_H_
#define REKINDLE_COMPONENT_STEPS_TRAIN_RESULT_H_

#include "component/contract/executor_output.h"
#include "component/launch/step.h"

namespace rekindle {

// What is recorded of a training that ended well: properties of the model, and
// of the execution.
StepResult MakeTrainResult(const ExecutorOutput& output,
                           const StepContext& context);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_TRAIN_RESULT_H_
