#ifndef REKINDLE_OPERATOR_KUBE_RESOURCE_H_
#define REKINDLE_OPERATOR_KUBE_RESOURCE_H_

#include <string>

namespace rekindle::argo {

// A kind of object in a cluster, and where the API keeps it.
struct Resource {
  const char* group;  // empty: the core group
  const char* version;
  const char* plural;
  const char* kind;
  bool namespaced = true;

  // "argoproj.io/v1alpha1", "v1".
  std::string ApiVersion() const;
  // "/apis/argoproj.io/v1alpha1/namespaces/NS/workflows[/NAME[/SUBRESOURCE]]",
  // its parts escaped.
  std::string Path(const std::string& in_namespace,
                   const std::string& name = "",
                   const std::string& subresource = "") const;
};

inline constexpr Resource kWorkflows{"argoproj.io", "v1alpha1", "workflows",
                                     "Workflow"};
inline constexpr Resource kWorkflowTemplates{
    "argoproj.io", "v1alpha1", "workflowtemplates", "WorkflowTemplate"};
inline constexpr Resource kClusterWorkflowTemplates{
    "argoproj.io", "v1alpha1", "clusterworkflowtemplates",
    "ClusterWorkflowTemplate", /*namespaced=*/false};
inline constexpr Resource kCronWorkflows{"argoproj.io", "v1alpha1",
                                         "cronworkflows", "CronWorkflow"};
inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", "Namespace",
                                      /*namespaced=*/false};

// `text` as one part of a path or query.
std::string EscapeUrl(const std::string& text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_RESOURCE_H_
