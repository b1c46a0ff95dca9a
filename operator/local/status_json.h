#ifndef REKINDLE_OPERATOR_LOCAL_STATUS_JSON_H_
#define REKINDLE_OPERATOR_LOCAL_STATUS_JSON_H_

#include "nlohmann/json.hpp"
#include "operator/engine/engine.h"
#include "operator/engine/node.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// The Workflow as a cluster would show it: what was written, with metadata and
// status.
nlohmann::json ToWorkflowJson(const Workflow& workflow, const Engine& engine);

nlohmann::json ToJson(const NodeOutputs& outputs);
NodeOutputs OutputsFromJson(const nlohmann::json& object);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_STATUS_JSON_H_
