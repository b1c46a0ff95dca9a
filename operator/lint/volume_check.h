// Internal to operator/lint/validate.
#ifndef REKINDLE_OPERATOR_LINT_VOLUME_CHECK_H_
#define REKINDLE_OPERATOR_LINT_VOLUME_CHECK_H_

#include "operator/lint/template_check.h"
#include "operator/workflow/workflow_model.h"
#include "operator/workflow/yaml_node.h"

// Names and paths of volumes, by Kubernetes' rules. What is null or has a tag
// is not checked; `of` is the template they are in, or null.
namespace rekindle::argo {

// The names in a list of volumes, and of the claims that they mount.
void CheckVolumeNames(const Template* of, const YamlNode* volumes,
                      const CheckContext& context);
void CheckClaimName(const Template* of, const YamlNode* name,
                    const CheckContext& context);
// The subPaths in a container's list of volumeMounts.
void CheckSubPaths(const Template* of, const YamlNode* mounts,
                   const CheckContext& context);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_VOLUME_CHECK_H_
