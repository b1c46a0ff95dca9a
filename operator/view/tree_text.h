#ifndef REKINDLE_OPERATOR_VIEW_TREE_TEXT_H_
#define REKINDLE_OPERATOR_VIEW_TREE_TEXT_H_

#include <limits>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {

// How much room there is. What matters least is left out: the templates' names
// where the lines are too short, nodes that went well where there are too few.
struct TreeStyle {
  size_t width = std::numeric_limits<size_t>::max();   // in characters
  size_t height = std::numeric_limits<size_t>::max();  // in lines
  bool coloured = false;
};

// A workflow in lines: its name, phase and message, and its nodes as a tree
// with template, duration and message. An only attempt that has not failed is
// drawn as the retry itself.
std::vector<std::string> TreeLines(const ShownWorkflow& workflow,
                                   absl::Time now, const TreeStyle& style);

// `text`, which may be a step's own, with a blank for every control character:
// nothing in it moves the cursor.
std::string OnOneLine(std::string text);

// The whole text, or its first characters and an ellipsis.
std::string Cut(const std::string& text, size_t width);

// "✔" for Succeeded and so on; of one column each.
const char* PhaseSymbol(const std::string& phase);

// From its begin to its end, or to `now`; empty for what has not begun or is
// skipped.
std::string DurationOf(const ShownNode& node, absl::Time now);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_TREE_TEXT_H_
