#include "cli/metadata/lineage_graph.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/utf8.h"
#include "cli/metadata/lineage_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;
using ml_metadata::Execution;

// Two lines; a line's end stays one in both languages.
std::string LabelOf(const Artifact& artifact) {
  return absl::StrCat(artifact.type(), " ", artifact.id(), "\n",
                      artifact.uri());
}
std::string LabelOf(const Execution& execution) {
  return absl::StrCat(ShortTypeName(execution.type()), "\nexecution ",
                      execution.id(), " ",
                      Execution::State_Name(execution.last_known_state()));
}

std::string NameOf(const Artifact& artifact) {
  return absl::StrCat("a", artifact.id());
}
std::string NameOf(const Execution& execution) {
  return absl::StrCat("e", execution.id());
}

struct Edge {
  std::string from;
  std::string to;
};

Edge EdgeOf(const Event& event) {
  const std::string artifact = absl::StrCat("a", event.artifact_id());
  const std::string execution = absl::StrCat("e", event.execution_id());
  return IsOutput(event) ? Edge{execution, artifact}
                         : Edge{artifact, execution};
}

// Whether both ends were followed: the last hop leaves some that were not.
bool IsWhole(const Event& event, const LineageView& view) {
  return view.artifacts.contains(event.artifact_id()) &&
         view.executions.contains(event.execution_id());
}

}  // namespace

std::string QuoteForDot(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : ReplaceInvalidUtf8(text)) {
    switch (c) {
      case '"':
      case '\\':
        absl::StrAppend(&quoted, "\\", std::string(1, c));
        break;
      case '&':  // would start an entity
        absl::StrAppend(&quoted, "&amp;");
        break;
      case '\n':
        absl::StrAppend(&quoted, "\\n");
        break;
      default:
        quoted.push_back(absl::ascii_iscntrl(c) ? ' ' : c);
    }
  }
  return absl::StrCat(quoted, "\"");
}

std::string QuoteForMermaid(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : ReplaceInvalidUtf8(text)) {
    switch (c) {
      case '"':
      case '#':
      case '&':
      case '<':
      case '>':
      case '`':
      case '\\':
        absl::StrAppend(&quoted, "#", static_cast<int>(c), ";");
        break;
      case '\n':
        absl::StrAppend(&quoted, "<br/>");
        break;
      default:
        quoted.push_back(absl::ascii_iscntrl(c) ? ' ' : c);
    }
  }
  return absl::StrCat(quoted, "\"");
}

std::string LineageToDot(const LineageView& view) {
  std::string text =
      "digraph lineage {\n"
      "  rankdir=LR;\n";
  for (const auto& [id, artifact] : view.artifacts) {
    absl::StrAppend(&text, "  ", NameOf(artifact),
                    " [shape=box, label=", QuoteForDot(LabelOf(artifact)),
                    "];\n");
  }
  for (const auto& [id, execution] : view.executions) {
    absl::StrAppend(&text, "  ", NameOf(execution),
                    " [shape=box, style=rounded, label=",
                    QuoteForDot(LabelOf(execution)), "];\n");
  }
  for (const Event& event : view.events) {
    if (!IsWhole(event, view)) continue;
    const Edge edge = EdgeOf(event);
    absl::StrAppend(&text, "  ", edge.from, " -> ", edge.to,
                    " [label=", QuoteForDot(KeyOf(event)), "];\n");
  }
  return absl::StrCat(text, "}\n");
}

std::string LineageToMermaid(const LineageView& view) {
  std::string text = "flowchart LR\n";
  for (const auto& [id, artifact] : view.artifacts) {
    absl::StrAppend(&text, "  ", NameOf(artifact), "[",
                    QuoteForMermaid(LabelOf(artifact)), "]\n");
  }
  for (const auto& [id, execution] : view.executions) {
    absl::StrAppend(&text, "  ", NameOf(execution), "([",
                    QuoteForMermaid(LabelOf(execution)), "])\n");
  }
  for (const Event& event : view.events) {
    if (!IsWhole(event, view)) continue;
    const Edge edge = EdgeOf(event);
    const std::string key = KeyOf(event);
    absl::StrAppend(
        &text, "  ", edge.from, " -->",
        key.empty() ? "" : absl::StrCat("|", QuoteForMermaid(key), "|"), " ",
        edge.to, "\n");
  }
  return text;
}

}  // namespace rekindle
