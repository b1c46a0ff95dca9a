#ifndef REKINDLE_OPERATOR_VIEW_NODE_GRAPH_H_
#define REKINDLE_OPERATOR_VIEW_NODE_GRAPH_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {

// A node of a workflow's status, as it is shown.
struct ShownNode {
  std::string id;
  std::string label;          // its display name
  std::string phase;          // "Running"
  std::string type;           // "Pod"
  std::string template_name;  // "trainer", "rekindle/trainer"
  std::string message;        // or how far it is: "3/10"
  absl::Time started = absl::InfiniteFuture();
  absl::Time finished = absl::InfiniteFuture();
  std::vector<ShownNode> children;
};

// The nodes of a Workflow object (its status.nodes) as trees: the entrypoint
// first, then exit handlers. Groups of steps, which only order things, are left
// out; the items of a loop and the attempts of a retry are below it. What a
// cluster's Argo writes and what runs here look the same.
std::vector<ShownNode> ShowNodes(const nlohmann::json& workflow);

struct GraphStyle {
  bool coloured = false;
  absl::Time now;  // for the duration of what runs
};

// A workflow in lines: its name, phase and message, and its nodes as a tree
// with template, duration and message.
std::string GraphText(const nlohmann::json& workflow, const GraphStyle& style);

// "✔" for Succeeded and so on; of one column each.
const char* PhaseSymbol(const std::string& phase);

// "3s", "1m05s", "2h03m".
std::string DurationText(absl::Duration duration);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_NODE_GRAPH_H_
