#include "operator/view/shown_workflow.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {
namespace {

// What only orders things and is not shown.
constexpr char kGroup[] = "StepGroup";

using NodesByName = std::map<absl::string_view, const ShownNode*>;

// The node named by the first `length` characters of the name of `node`, if it
// is shown and a part of the same template.
const ShownNode* Beside(const ShownNode& node, size_t length,
                        const NodesByName& by_name) {
  const auto found =
      by_name.find(absl::string_view(node.name).substr(0, length));
  return found != by_name.end() && found->second->type != kGroup &&
                 found->second->boundary_id == node.boundary_id
             ? found->second
             : nullptr;
}

// The node that `node` is a hook of, or null.
const ShownNode* HookedNode(const ShownNode& node, const NodesByName& by_name) {
  constexpr absl::string_view kOnExit = ".onExit";
  const size_t hooks = node.name.rfind(".hooks.");
  if (absl::EndsWith(node.name, kOnExit)) {
    return Beside(node, node.name.size() - kOnExit.size(), by_name);
  }
  return hooks == std::string::npos ? nullptr : Beside(node, hooks, by_name);
}

// The loop or retry that `node` is an item or an attempt of, or null. An item
// may hold parentheses itself.
const ShownNode* GroupOf(const ShownNode& node, const NodesByName& by_name) {
  if (!absl::EndsWith(node.name, ")")) return nullptr;
  for (size_t at = node.name.rfind('('); at != std::string::npos && at > 0;
       at = node.name.rfind('(', at - 1)) {
    const ShownNode* group = Beside(node, at, by_name);
    if (group != nullptr) return group;
  }
  return nullptr;
}

std::string ParentOf(const ShownNode& node, const NodesByName& by_name) {
  // First, as an attempt of a hook has the hook in its name, too.
  const ShownNode* group = GroupOf(node, by_name);
  if (group != nullptr) return group->id;
  const ShownNode* hooked = HookedNode(node, by_name);
  if (hooked == nullptr) return node.boundary_id;
  return hooked->boundary_id.empty() ? "" : hooked->id;
}

}  // namespace

bool ShownNode::is_leaf() const {
  constexpr std::array<absl::string_view, 5> kHolders = {
      "DAG", "Retry", "StepGroup", "Steps", "TaskGroup"};
  return std::find(kHolders.begin(), kHolders.end(), type) == kHolders.end();
}

NodesBelow PlaceNodes(const ShownWorkflow& workflow) {
  NodesByName by_name;
  for (const ShownNode& node : workflow.nodes) by_name[node.name] = &node;
  NodesBelow below;
  for (const ShownNode& node : workflow.nodes) {
    if (node.type == kGroup) continue;
    below[ParentOf(node, by_name)].push_back(&node);
  }
  return below;
}

}  // namespace rekindle::argo
