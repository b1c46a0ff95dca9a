#ifndef REKINDLE_OPERATOR_ENGINE_LOCAL_SCOPE_H_
#define REKINDLE_OPERATOR_ENGINE_LOCAL_SCOPE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/engine/node.h"
#include "operator/engine/node_tree.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What the steps or tasks of one template may refer to: values by their full
// names, as tags have them, and artifacts. Plain data.
struct LocalScope {
  Scope values;
  std::map<std::string, Artifact> artifacts;

  // Adds what node `name` of `prefix` ("steps", "tasks") has: id, status,
  // times, outputs. Of a Retry node, that of its last attempt.
  void AddNode(const std::string& prefix, const std::string& name,
               const Node& node, const NodeTree& tree);
  void AddOutputs(const std::string& prefix, const std::string& name,
                  const NodeOutputs& outputs);
  // The outputs of a node that was skipped: defaults where the template has
  // them, else nil.
  void AddSkipped(const std::string& prefix, const std::string& name,
                  const Template& definition, bool with_artifacts);
  // The outputs of the items of a step, as JSON lists. `nodes` are in the order
  // of the items.
  absl::Status AddItems(const std::string& prefix, const std::string& name,
                        const std::vector<const Node*>& nodes);
  void AddInputs(const Template& rendered);

  // `values` over `globals`.
  Scope Over(const Scope& globals) const;
  // The variables of an expression, artifacts among them.
  Value::Map Variables(const Scope& globals) const;

  // The artifact that `from` or `fromExpression` names; an artifact without a
  // place is what a skipped node left.
  //
  //   NOT_FOUND         there is none of that name
  //   INVALID_ARGUMENT  the expression fails or gives something else
  absl::StatusOr<Artifact> FindArtifact(const Artifact& reference,
                                        const Scope& globals) const;
};

// The name in a text that is one tag and nothing else, or "".
std::string SingleTag(const std::string& text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_LOCAL_SCOPE_H_
