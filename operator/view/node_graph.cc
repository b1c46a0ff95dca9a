#include "operator/view/node_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/utf8.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string TextOf(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

absl::Time TimeOf(const json& node, const char* key) {
  absl::Time time = absl::InfiniteFuture();
  std::string error;
  const std::string text = TextOf(node, key);
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return absl::InfiniteFuture();
  }
  return time;
}

std::string TemplateOf(const json& node) {
  const json ref = node.value("templateRef", json::object());
  const std::string name = TextOf(ref, "name");
  return name.empty() ? TextOf(node, "templateName")
                      : absl::StrCat(name, "/", TextOf(ref, "template"));
}

ShownNode Show(const json& node) {
  ShownNode shown;
  shown.id = TextOf(node, "id");
  shown.label = TextOf(node, "displayName");
  if (shown.label.empty()) shown.label = TextOf(node, "name");
  shown.phase = TextOf(node, "phase");
  shown.type = TextOf(node, "type");
  shown.template_name = TemplateOf(node);
  shown.message = TextOf(node, "message");
  const std::string progress = TextOf(node, "progress");
  if (shown.message.empty() && shown.phase == "Running") {
    shown.message = progress;
  }
  shown.started = TimeOf(node, "startedAt");
  shown.finished = TimeOf(node, "finishedAt");
  return shown;
}

// Who a node is shown below: the loop or retry that it is a part of, else the
// template that it is a step of.
class Parents {
 public:
  explicit Parents(const json& nodes) : nodes_(nodes) {
    for (const json& node : nodes) {
      const std::string type = TextOf(node, "type");
      if (type != "Retry" && type != "TaskGroup") continue;
      for (const json& child : node.value("children", json::array())) {
        if (child.is_string() && IsPart(node, child)) {
          group_of_[child] = TextOf(node, "id");
        }
      }
    }
  }

  std::string Of(const json& node) const {
    const auto group = group_of_.find(TextOf(node, "id"));
    return group != group_of_.end() ? group->second
                                    : TextOf(node, "boundaryID");
  }

 private:
  // The children of a group are its parts and, behind them, what comes next.
  bool IsPart(const json& group, const std::string& child_id) const {
    const auto child = nodes_.find(child_id);
    return child != nodes_.end() &&
           absl::StartsWith(TextOf(*child, "name"),
                            absl::StrCat(TextOf(group, "name"), "("));
  }

  const json& nodes_;
  std::map<std::string, std::string> group_of_;
};

bool ComesFirst(const ShownNode& a, const ShownNode& b) {
  if (a.started != b.started) return a.started < b.started;
  return a.label < b.label;
}

std::vector<ShownNode> Below(
    const std::string& parent,
    const std::multimap<std::string, ShownNode>& by_parent) {
  std::vector<ShownNode> nodes;
  const auto [begin, end] = by_parent.equal_range(parent);
  for (auto it = begin; it != end; ++it) {
    nodes.push_back(it->second);
    nodes.back().children = Below(it->second.id, by_parent);
  }
  std::stable_sort(nodes.begin(), nodes.end(), ComesFirst);
  return nodes;
}

struct Row {
  std::string step;
  size_t step_width;
  std::string template_name;
  std::string duration;
  std::string message;
};

int ColourOf(const std::string& phase) {
  if (phase == "Succeeded") return 32;
  if (phase == "Failed" || phase == "Error") return 31;
  if (phase == "Running") return 36;
  return 90;
}

std::string DurationOf(const ShownNode& node, absl::Time now) {
  if (node.started == absl::InfiniteFuture()) return "";
  const absl::Time end =
      node.finished == absl::InfiniteFuture() ? now : node.finished;
  return DurationText(std::max(end - node.started, absl::ZeroDuration()));
}

void AddRows(const std::vector<ShownNode>& nodes, const std::string& indent,
             bool top, const GraphStyle& style, std::vector<Row>& rows) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ShownNode& node = nodes[i];
    const bool last = i + 1 == nodes.size();
    const std::string branch =
        top ? "" : absl::StrCat(indent, last ? "└─" : "├─");
    const std::string symbol = PhaseSymbol(node.phase);
    const std::string plain = absl::StrCat(branch, symbol, " ", node.label);
    const std::string shown =
        style.coloured ? absl::StrCat(branch, "\033[", ColourOf(node.phase),
                                      "m", symbol, "\033[0m ", node.label)
                       : plain;
    rows.push_back({shown, CountCharacters(plain), node.template_name,
                    DurationOf(node, style.now),
                    absl::StrReplaceAll(node.message, {{"\n", " "}})});
    AddRows(node.children, top ? "" : absl::StrCat(indent, last ? "  " : "│ "),
            false, style, rows);
  }
}

std::string Padded(const std::string& text, size_t width, size_t to) {
  return absl::StrCat(text, std::string(to > width ? to - width : 0, ' '));
}

std::string Header(const json& workflow, const GraphStyle& style) {
  const json metadata = workflow.value("metadata", json::object());
  const json status = workflow.value("status", json::object());
  std::string phase = TextOf(status, "phase");
  if (phase.empty()) phase = "Pending";
  ShownNode whole;
  whole.started = TimeOf(status, "startedAt");
  whole.finished = TimeOf(status, "finishedAt");
  std::string line = absl::StrCat(TextOf(metadata, "name"), "  ", phase);
  const std::string duration = DurationOf(whole, style.now);
  const std::string progress = TextOf(status, "progress");
  const std::string message = TextOf(status, "message");
  if (!duration.empty()) absl::StrAppend(&line, "  ", duration);
  if (!progress.empty()) absl::StrAppend(&line, "  ", progress, " done");
  if (!message.empty()) absl::StrAppend(&line, "  ", message);
  return absl::StrCat(line, "\n");
}

}  // namespace

const char* PhaseSymbol(const std::string& phase) {
  if (phase == "Succeeded") return "✔";
  if (phase == "Failed") return "✖";
  if (phase == "Error") return "⚠";
  if (phase == "Running") return "●";
  if (phase == "Skipped" || phase == "Omitted") return "○";
  return "◷";
}

std::string DurationText(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) {
    return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  }
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds / 60 % 60);
}

std::vector<ShownNode> ShowNodes(const json& workflow) {
  const json status = workflow.value("status", json::object());
  const json nodes = status.value("nodes", json::object());
  const Parents parents(nodes);
  std::multimap<std::string, ShownNode> by_parent;
  for (const json& node : nodes) {
    if (TextOf(node, "type") == "StepGroup") continue;
    std::string parent = parents.Of(node);
    if (!nodes.contains(parent)) parent = "";
    by_parent.emplace(parent, Show(node));
  }
  return Below("", by_parent);
}

std::string GraphText(const json& workflow, const GraphStyle& style) {
  std::vector<Row> rows = {{"STEP", 4, "TEMPLATE", "DURATION", "MESSAGE"}};
  AddRows(ShowNodes(workflow), "", /*top=*/true, style, rows);
  std::string text = Header(workflow, style);
  if (rows.size() == 1) return text;
  size_t step = 0;
  size_t template_name = 0;
  size_t duration = 0;
  for (const Row& row : rows) {
    step = std::max(step, row.step_width);
    template_name = std::max(template_name, row.template_name.size());
    duration = std::max(duration, row.duration.size());
  }
  for (const Row& row : rows) {
    std::string line = absl::StrCat(
        Padded(row.step, row.step_width, step), "  ",
        Padded(row.template_name, row.template_name.size(), template_name),
        "  ", Padded(row.duration, row.duration.size(), duration), "  ",
        row.message);
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace rekindle::argo
