#ifndef REKINDLE_COMPONENT_STEPS_BLESS_H_
#define REKINDLE_COMPONENT_STEPS_BLESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

struct BlessOptions {
  ArtifactRef model;
  bool blessed = true;
  std::string reason;  // required
  std::string person;  // who decided
};

// A person's decision on a model: puts out a `blessing`, as an Evaluator does.
// One that does not bless takes earlier blessings of the model back. Fills in
// the execution type, inputs, outputs and parameters of `spec`.
//
//   INVALID_ARGUMENT  there is no reason
absl::StatusOr<std::unique_ptr<Executor>> MakeBless(BlessOptions options,
                                                    StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_BLESS_H_
