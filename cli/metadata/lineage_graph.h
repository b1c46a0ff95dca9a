#ifndef REKINDLE_CLI_METADATA_LINEAGE_GRAPH_H_
#define REKINDLE_CLI_METADATA_LINEAGE_GRAPH_H_

#include <string>

#include "absl/strings/string_view.h"
#include "cli/metadata/lineage_view.h"

namespace rekindle {

// The lineage as a graph for other programs to draw: artifacts are boxes,
// executions are rounded, edges point from what was read to what was made and
// carry the input's or output's key.

// In the language of Graphviz: `dot -Tsvg`.
std::string LineageToDot(const LineageView& view);

// As a Mermaid flowchart, which GitHub and many wikis draw.
std::string LineageToMermaid(const LineageView& view);

// Text as a quoted string of either language, whatever it holds: quotes,
// entities, line ends, bytes that are not UTF-8.
std::string QuoteForDot(absl::string_view text);
std::string QuoteForMermaid(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_LINEAGE_GRAPH_H_
