#ifndef REKINDLE_OPERATOR_WORKFLOW_DECODE_H_
#define REKINDLE_OPERATOR_WORKFLOW_DECODE_H_

#include "operator/workflow/workflow_model.h"
#include "operator/workflow/yaml_node.h"

// From what was written to the model. What is of a wrong type is left out: the
// field table (CheckType) has reported it.
namespace rekindle::argo {

Template DecodeTemplateNode(YamlNode node);
Step DecodeStepNode(YamlNode node);
// `kind` and `node` belong together; a CronWorkflow's spec is its workflowSpec.
Workflow DecodeWorkflowNode(WorkflowKind kind, YamlNode node);

// As Argo reads a value that may be a number or a bool: "3", "1.5", "true";
// nullopt for null.
std::optional<std::string> AnyString(const YamlNode* node);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_DECODE_H_
