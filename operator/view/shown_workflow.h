#ifndef REKINDLE_OPERATOR_VIEW_SHOWN_WORKFLOW_H_
#define REKINDLE_OPERATOR_VIEW_SHOWN_WORKFLOW_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace rekindle::argo {

// A node of a workflow's status, as far as it is shown; names are Argo's.
struct ShownNode {
  std::string id;
  std::string name;  // "penguin-x7k2p.train(0)"
  std::string display_name;
  std::string boundary_id;
  std::string type;           // "Pod"
  std::string phase;          // "Running"; empty is "Pending"
  std::string template_name;  // "trainer", "rekindle/trainer"
  std::string message;
  std::string progress;                          // "3/10"
  absl::Time started = absl::InfiniteFuture();   // not yet
  absl::Time finished = absl::InfiniteFuture();  // not yet

  bool waits() const { return phase.empty() || phase == "Pending"; }
  bool failed() const { return phase == "Failed" || phase == "Error"; }
  // It does the work itself, instead of holding nodes that do.
  bool is_leaf() const;
};

// A workflow, wherever it runs, as far as it is shown.
struct ShownWorkflow {
  std::string name;
  std::string phase;
  std::string message;
  std::string progress;  // "2/4"
  absl::Time started = absl::InfiniteFuture();
  absl::Time finished = absl::InfiniteFuture();
  std::vector<ShownNode> nodes;  // in the order they are shown in
};

// The nodes that are drawn below a node, by its id; what is below none by "".
using NodesBelow = std::map<std::string, std::vector<const ShownNode*>>;

// Puts the items of a loop below it, the attempts of a retry below it, a hook
// below its node, everything else below the template that it is a part of. The
// workflow's own hooks are below none. Groups of steps, which only order
// things, are left out. Points into `workflow`.
NodesBelow PlaceNodes(const ShownWorkflow& workflow);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_SHOWN_WORKFLOW_H_
