#ifndef REKINDLE_COMPONENT_STEPS_PUSH_H_
#define REKINDLE_COMPONENT_STEPS_PUSH_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

inline constexpr char kPushMessageProperty[] = "push_message";

struct PushOptions {
  ArtifactRef model;
  // None: the model is pushed, blessed or not.
  ArtifactRef blessing;
  std::string destination;  // a folder that TensorFlow Serving watches
};

// TFX's Pusher: copies a model that is blessed into a serving folder, as its
// newest version, and puts out a `pushed_model` that says so. One that is not
// blessed is not pushed, which is an answer, not an error. Fills in the
// execution type, inputs, outputs and parameters of `spec`.
//
//   INVALID_ARGUMENT  there is no destination, or it is not a local path
absl::StatusOr<std::unique_ptr<Executor>> MakePush(PushOptions options,
                                                   StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_PUSH_H_
