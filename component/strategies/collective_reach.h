// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_COLLECTIVE_REACH_H_
#define REKINDLE_COMPONENT_STRATEGIES_COLLECTIVE_REACH_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"

namespace rekindle {

// Which parts of a graph take part in an exchange between workers: what a
// collective operation feeds, however indirectly. Thread-compatible.
class CollectiveReach {
 public:
  // Takes in a graph, or a part that is added to it.
  void Add(const tensorflow::GraphDef& graph);

  // Whether running the graph for these tensors or nodes ("a", "a:0", "^a")
  // needs a collective operation.
  bool Covers(const std::vector<std::string>& names) const;

 private:
  void Mark(const std::string& node);

  std::map<std::string, std::vector<std::string>> consumers_;
  std::vector<std::string> collectives_;
  std::set<std::string> marked_;  // they and what they feed
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_COLLECTIVE_REACH_H_
