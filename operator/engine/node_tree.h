#ifndef REKINDLE_OPERATOR_ENGINE_NODE_TREE_H_
#define REKINDLE_OPERATOR_ENGINE_NODE_TREE_H_

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "operator/engine/node.h"

namespace rekindle::argo {

// The nodes of one run, by name and by id. A node, once added, stays where it
// is and is never removed. Thread-compatible.
class NodeTree {
 public:
  explicit NodeTree(std::string workflow_name);

  const std::string& workflow_name() const { return workflow_name_; }

  // The id that a node of this name has or would get: Argo's, from a hash of
  // the name.
  std::string IdOf(const std::string& name) const;

  // Adds a node; its id and display name are set from its name and boundary.
  // The name must be new.
  Node& Add(Node node);

  // Null when there is none.
  Node* Find(const std::string& name);
  const Node* Find(const std::string& name) const;
  const Node* FindId(const std::string& id) const;
  Node* FindId(const std::string& id);

  void AddChild(Node& parent, const Node& child);

  // Changes the phase; a node that is fulfilled with that has finished `now`.
  void SetPhase(Node& node, Phase phase, absl::Time now);
  void SetPhase(Node& node, Phase phase, absl::Time now, std::string message);

  // The nodes that what comes behind `node` is drawn behind.
  std::vector<std::string> OutboundNodes(const Node& node) const;

  // The last attempt of a Retry node, or null.
  const Node* LastAttempt(const Node& retry) const;
  // Ids of the attempts, without hooks.
  std::vector<std::string> Attempts(const Node& retry) const;

  // In the order they were added.
  const std::deque<Node>& nodes() const { return nodes_; }

  // The nodes that were added or changed their phase since the last call, each
  // as often as it did.
  std::vector<const Node*> TakeChanged() { return std::exchange(changed_, {}); }

  // How many of the nodes that run something have ended: "3/5".
  std::string Progress() const;

 private:
  std::string DisplayName(const Node& node) const;

  const std::string workflow_name_;
  std::deque<Node> nodes_;
  std::vector<const Node*> changed_;
  std::unordered_map<std::string, Node*> by_name_;
  std::unordered_map<std::string, Node*> by_id_;
};

// The name of the pod that runs a node, as Argo makes it.
std::string PodName(const std::string& workflow_name,
                    const std::string& node_name,
                    const std::string& template_name,
                    const std::string& node_id);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_NODE_TREE_H_
