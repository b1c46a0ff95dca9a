#ifndef REKINDLE_OPERATOR_VIEW_WORKFLOW_OBJECT_H_
#define REKINDLE_OPERATOR_VIEW_WORKFLOW_OBJECT_H_

#include "nlohmann/json.hpp"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {

// What is shown of a Workflow object of a cluster. One that Argo has not looked
// at yet is Pending and has no nodes.
ShownWorkflow ShowObject(const nlohmann::json& workflow);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_WORKFLOW_OBJECT_H_
