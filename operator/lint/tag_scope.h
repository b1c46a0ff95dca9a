#ifndef REKINDLE_OPERATOR_LINT_TAG_SCOPE_H_
#define REKINDLE_OPERATOR_LINT_TAG_SCOPE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "operator/workflow/workflow_model.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {

// The names that tags may use at some place of a workflow, for checking them
// before there are values. Thread-compatible.
class TagScope {
 public:
  void Add(std::string name) { names_.insert(std::move(name)); }
  // Everything that begins so: what only a run can know.
  void AddPrefix(std::string prefix) { prefixes_.push_back(std::move(prefix)); }

  // Names every place of `workflow` has: workflow.name, its parameters, ...
  // `is_template`: a WorkflowTemplate, which a Workflow gives more parameters.
  void AddGlobals(const Workflow& workflow, bool is_template);
  // inputs.parameters.x, pod.name, retries: what `owner` itself has.
  void AddTemplate(const Template& owner);
  // "steps.NAME." or "tasks.NAME." and what the node has; `run` is null when
  // its template is known only later.
  void AddNode(const std::string& node, const Step& step, const Template* run);
  // item, item.key
  void AddItems(const Step& step);

  // Whether a tag, without braces, stands for something. Tags of other roots
  // than Argo's own are taken for text, as Argo does.
  bool Resolves(absl::string_view tag) const;

  // The names, for suggestions.
  std::vector<std::string> Names() const {
    return {names_.begin(), names_.end()};
  }

 private:
  std::set<std::string> names_;
  std::vector<std::string> prefixes_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_TAG_SCOPE_H_
