// Internal to operator/local/run_plan.
#ifndef REKINDLE_OPERATOR_LOCAL_REACH_CHECK_H_
#define REKINDLE_OPERATOR_LOCAL_REACH_CHECK_H_

#include "absl/status/status.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// Whether this machine can run all that the workflow may reach, also in our own
// templates, as far as it is known before anything starts. The engine asks
// again when a step's turn comes.
//
//   INVALID_ARGUMENT  what needs a cluster, at the step that leads to it
absl::Status CheckReach(const Workflow& workflow,
                        const TemplateLibrary& library);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_REACH_CHECK_H_
