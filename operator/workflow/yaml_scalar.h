#ifndef REKINDLE_OPERATOR_WORKFLOW_YAML_SCALAR_H_
#define REKINDLE_OPERATOR_WORKFLOW_YAML_SCALAR_H_

#include <string>

#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {

// Sets the kind and text of a scalar as Kubernetes' reader (YAML 1.1 with
// exceptions) understands it. `plain`: written without quotes. `tag` is "!!str"
// and the like, or what the parser gives for none.
void ResolveScalar(const std::string& value, bool plain, const std::string& tag,
                   YamlNode* node);

// As JSON prints it.
std::string NumberText(double value);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_YAML_SCALAR_H_
