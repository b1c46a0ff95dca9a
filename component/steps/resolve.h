#ifndef REKINDLE_COMPONENT_STEPS_RESOLVE_H_
#define REKINDLE_COMPONENT_STEPS_RESOLVE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "component/launch/step.h"

namespace rekindle {

// TFX's Resolver: chooses artifacts for the steps behind it, which take them
// from it by key. Nothing is copied. Fills in the execution type and inputs of
// `spec`.
//
//   INVALID_ARGUMENT  there is no input
absl::StatusOr<std::unique_ptr<Executor>> MakeResolve(
    std::vector<InputSpec> inputs, StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_RESOLVE_H_
