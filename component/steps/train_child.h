#ifndef REKINDLE_COMPONENT_STEPS_TRAIN_CHILD_H_
#define REKINDLE_COMPONENT_STEPS_TRAIN_CHILD_H_

#include <string>

#include "absl/status/status.h"
#include "component/cache/cache_fields.h"
#include "component/cache/content_digest.h"
#include "component/launch/step.h"
#include "component/steps/train.h"

namespace rekindle {

// Whether the options name a module in Python, which its interpreter runs
// instead of the trainer.
bool HasPythonModule(const TrainOptions& options);

// Runs the process that trains, which reads the executor input at `input_path`.
// Answers as RunStepChild(), and says which flag names a program that cannot be
// started.
absl::Status RunTrainChild(const TrainOptions& options,
                           const std::string& input_path,
                           const StepContext& context);

// What a model depends on by the code that trains it: the program, the module
// and, for one in Python, what its interpreter has installed.
CacheFields TrainCodeFields(const TrainOptions& options, WatchedFiles& watched);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_TRAIN_CHILD_H_
