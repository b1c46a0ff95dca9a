#ifndef REKINDLE_OPERATOR_SUBMIT_REFERENCES_H_
#define REKINDLE_OPERATOR_SUBMIT_REFERENCES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"

namespace rekindle::argo {

// A template that a workflow takes from another object of the cluster.
struct TemplateReference {
  std::string name;           // of the WorkflowTemplate
  std::string template_name;  // in it; empty: all of it
  bool cluster_scope = false;
  std::string where;  // "template 'main', task 'train'", "hook 'exit'"
};

// The references of a Workflow object: of its templates in order, then of its
// hooks. Those whose name is only known when it runs are left out.
std::vector<TemplateReference> ReferencesOf(const nlohmann::json& workflow);

// What references refer to.
struct InstalledTemplates {
  std::vector<nlohmann::json> objects;
  bool complete = true;  // false: the account may not look at some
};

// Looks whether all of them are installed, as far as the account may look, with
// one call for each object. Argo would accept the workflow and fail it later.
//
//   NOT_FOUND  one is not; names it, where it is used, and what to do
absl::StatusOr<InstalledTemplates> FindReferences(
    const nlohmann::json& workflow, const std::string& in_namespace,
    KubeClient& client);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_REFERENCES_H_
