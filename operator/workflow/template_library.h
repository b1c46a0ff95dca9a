#ifndef REKINDLE_OPERATOR_WORKFLOW_TEMPLATE_LIBRARY_H_
#define REKINDLE_OPERATOR_WORKFLOW_TEMPLATE_LIBRARY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// The WorkflowTemplates and ClusterWorkflowTemplates that a templateRef may
// name. Thread-safe when const.
class TemplateLibrary {
 public:
  // Knows Rekindle's own templates (`rekindle`), which are part of the program.
  TemplateLibrary();

  // Adds a template; one of the same kind and name, built in too, is replaced.
  // Workflows of other kinds are ignored.
  void Add(Workflow workflow);

  // Null when there is none. The result lives as long as the library.
  const Workflow* Find(const std::string& name, bool cluster_scope) const;
  // The names of a kind, sorted.
  std::vector<std::string> Names(bool cluster_scope) const;

  // The template that a step in `owner` runs, with the workflow it belongs to
  // (whose other templates its own steps name). An inline template belongs to
  // `owner`. Names with tags must be rendered before.
  //
  //   NOT_FOUND         nothing of that name; the nearest is named
  //   INVALID_ARGUMENT  none or more than one of template, templateRef, inline
  struct Found {
    const Workflow* owner;
    const Template* definition;
  };
  absl::StatusOr<Found> Resolve(const Step& step, const Workflow& owner) const;
  absl::StatusOr<Found> Resolve(const LifecycleHook& hook,
                                const Workflow& owner) const;
  absl::StatusOr<Found> Resolve(const TemplateRef& ref) const;

 private:
  std::map<std::pair<bool, std::string>, Workflow> workflows_;
};

// The text of manifests/base/templates/rekindle.yaml, as built in.
const std::string& BuiltinTemplateText();
// What the text holds: the WorkflowTemplate `rekindle`.
const std::vector<Workflow>& BuiltinTemplates();

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_TEMPLATE_LIBRARY_H_
