#include "component/strategies/collective_reach.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"

namespace rekindle {
namespace {

// "^a", "a:0" and "a" all are of node "a".
std::string NodeOf(const std::string& name) {
  const size_t begin = name.starts_with('^') ? 1 : 0;
  return name.substr(begin, name.find(':') - begin);
}

}  // namespace

void CollectiveReach::Add(const tensorflow::GraphDef& graph) {
  for (const tensorflow::NodeDef& node : graph.node()) {
    for (const std::string& input : node.input()) {
      consumers_[NodeOf(input)].push_back(node.name());
    }
  }
  for (const tensorflow::NodeDef& node : graph.node()) {
    if (node.op().starts_with("Collective"))
      collectives_.push_back(node.name());
  }
  marked_.clear();
  for (const std::string& node : collectives_) Mark(node);
}

void CollectiveReach::Mark(const std::string& node) {
  std::vector<std::string> todo = {node};
  while (!todo.empty()) {
    const std::string next = std::move(todo.back());
    todo.pop_back();
    if (!marked_.insert(next).second) continue;
    const auto found = consumers_.find(next);
    if (found == consumers_.end()) continue;
    todo.insert(todo.end(), found->second.begin(), found->second.end());
  }
}

bool CollectiveReach::Covers(const std::vector<std::string>& names) const {
  return std::ranges::any_of(names, [this](const std::string& name) {
    return marked_.contains(NodeOf(name));
  });
}

}  // namespace rekindle
