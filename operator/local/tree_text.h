#ifndef REKINDLE_OPERATOR_LOCAL_TREE_TEXT_H_
#define REKINDLE_OPERATOR_LOCAL_TREE_TEXT_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/local/node_tree.h"

namespace rekindle::argo {

struct TreeStyle {
  size_t width = 100;       // of a line, in characters
  size_t height = 1 << 20;  // in lines; what matters least is left out
  bool color = false;
};

// The nodes of a run as a tree, a line each: symbol, name, duration, progress,
// message. Step groups are not shown: their steps are, in order.
std::vector<std::string> TreeLines(const NodeTree& tree, absl::Time now,
                                   const TreeStyle& style);

// "✔", "✖", "●", ...
const char* PhaseSymbol(Phase phase);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_TREE_TEXT_H_
