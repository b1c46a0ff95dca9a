#ifndef REKINDLE_COMPONENT_LAUNCH_PLAN_H_
#define REKINDLE_COMPONENT_LAUNCH_PLAN_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/launch/step.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// What a step would do if it were run now.
struct StepPlan {
  // The execution of this node in this run, if an earlier command left one. A
  // finished one is the answer; any other is reopened.
  std::optional<ml_metadata::Execution> earlier;
  ResolvedInputs inputs;
  absl::Status ready;  // OK, or why it would fail, as CheckInputs

  // An earlier command has done the work.
  bool IsFinished() const;
};

// Finds out, reading only.
//
//   ALREADY_EXISTS  the run id belongs to another pipeline
//   and what the store answers
absl::StatusOr<StepPlan> PlanStep(const StepSpec& spec,
                                  const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_PLAN_H_
