// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_GLOBAL_SCOPE_H_
#define REKINDLE_OPERATOR_ENGINE_GLOBAL_SCOPE_H_

#include <string>

#include "operator/engine/engine.h"
#include "operator/engine/node_tree.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {

// What every template of a run may refer to: workflow.name,
// workflow.parameters.*, workflow.creationTimestamp.*, labels, annotations.
Scope GlobalScope(const Workflow& workflow, const RunInfo& info);

// workflow.failures: a JSON list of the nodes that failed, as a JSON string.
std::string Failures(const NodeTree& tree);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_GLOBAL_SCOPE_H_
