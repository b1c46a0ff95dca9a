#include "component/launch/plan.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "component/launch/driver.h"
#include "component/launch/step.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {

bool StepPlan::IsFinished() const {
  using ml_metadata::Execution;
  if (!earlier.has_value()) return false;
  return earlier->last_known_state() == Execution::COMPLETE ||
         earlier->last_known_state() == Execution::CACHED;
}

absl::StatusOr<StepPlan> PlanStep(const StepSpec& spec,
                                  const MetadataStore& store) {
  RK_RETURN_IF_ERROR(CheckRunIsOurs(spec, store));
  StepPlan plan;
  ml_metadata::GetExecutionsByExternalIdsRequest by_external_id;
  by_external_id.add_external_ids(spec.ExternalId());
  const auto earlier = store.GetExecutionsByExternalIds(by_external_id);
  if (earlier.ok()) {
    plan.earlier = earlier->executions(0);
  } else if (!absl::IsNotFound(earlier.status())) {
    return earlier.status();
  }
  RK_ASSIGN_OR_RETURN(plan.inputs, ResolveInputs(spec, store));
  if (!plan.IsFinished()) plan.ready = CheckInputs(spec, plan.inputs);
  return plan;
}

}  // namespace rekindle
