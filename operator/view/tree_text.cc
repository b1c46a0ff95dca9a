#include "operator/view/tree_text.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/utf8.h"
#include "operator/view/duration_text.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {
namespace {

enum Column { kStep, kTemplate, kDuration, kMessage, kColumns };
using Cells = std::array<std::string, kColumns>;
using Widths = std::array<size_t, kColumns>;

constexpr size_t kGap = 2;  // between columns

struct Row {
  Cells cells;
  std::string branch;  // what is before the symbol
  const ShownNode* node;
  bool left_out = false;
};

std::string Span(absl::Time started, absl::Time finished, absl::Time now) {
  if (started == absl::InfiniteFuture()) return "";
  const bool ended = finished != absl::InfiniteFuture();
  return DurationText((ended ? finished : now) - started);
}

// The rows of a tree, from the top down.
class Rows {
 public:
  Rows(const ShownWorkflow& workflow, absl::Time now)
      : below_(PlaceNodes(workflow)), now_(now) {}

  std::vector<Row> Make() {
    for (const ShownNode* root : below_[""]) Add(*root, "", "");
    return std::move(rows_);
  }

 private:
  // `first` is drawn before the node itself, `rest` before what is below it.
  void Add(const ShownNode& node, const std::string& first,
           const std::string& rest) {
    // What lies below itself, as no workflow of Argo's does, is drawn once.
    if (!drawn_.insert(&node).second) return;
    const ShownNode& worker = *OnlyAttempt(&node);
    rows_.push_back(RowOf(node, worker, first));
    const auto found = below_.find(worker.id);
    if (found == below_.end()) return;
    for (const ShownNode* child : found->second) {
      const bool last = child == found->second.back();
      Add(*child, absl::StrCat(rest, last ? "└─" : "├─"),
          absl::StrCat(rest, last ? "  " : "│ "));
    }
  }

  // The only attempt of a retry unless it failed, else the node itself.
  const ShownNode* OnlyAttempt(const ShownNode* node) const {
    const auto found = below_.find(node->id);
    if (node->type != "Retry" || found == below_.end()) return node;
    const std::vector<const ShownNode*>& attempts = found->second;
    return attempts.size() > 1 || attempts[0]->failed() ? node : attempts[0];
  }

  Row RowOf(const ShownNode& node, const ShownNode& worker,
            const std::string& branch) const {
    const std::string step = absl::StrCat(branch, PhaseSymbol(node.phase), " ",
                                          OnOneLine(node.display_name));
    const std::string& message = node.message.empty() && node.phase == "Running"
                                     ? worker.progress
                                     : node.message;
    return {
        {step, node.template_name, DurationOf(node, now_), OnOneLine(message)},
        branch,
        &node};
  }

  NodesBelow below_;
  const absl::Time now_;
  std::vector<Row> rows_;
  std::set<const ShownNode*> drawn_;
};

// How soon a row is left out when there is no room for all.
int RankOf(const ShownNode& node) {
  if (node.failed() || node.phase == "Running") return 0;
  return node.waits() ? 1 : 2;
}

// Leaves out rows from the end of what matters least, but never the first, and
// keeps a line free to say so. Returns how many.
size_t FitHeight(std::vector<Row>& rows, size_t height) {
  if (rows.size() <= height) return 0;
  size_t too_many = rows.size() - (height - 1);
  for (int rank = 2; rank >= 0; --rank) {
    for (size_t i = rows.size(); i-- > 1 && too_many > 0;) {
      if (RankOf(*rows[i].node) != rank) continue;
      rows[i].left_out = true;
      --too_many;
    }
  }
  return std::erase_if(rows, [](const Row& row) { return row.left_out; });
}

Cells Headings() { return {"STEP", "TEMPLATE", "DURATION", "MESSAGE"}; }

// Of each column; 0 for one that is left out.
Widths WidthsOf(const std::vector<Row>& rows, size_t room) {
  const Cells headings = Headings();
  Widths widths = {};
  size_t sum = 0;
  for (size_t i = 0; i < kColumns; ++i) {
    for (const Row& row : rows) {
      widths[i] = std::max(widths[i], CountCharacters(row.cells[i]));
    }
    if (widths[i] == 0) continue;
    widths[i] = std::max(widths[i], headings[i].size());
    sum += widths[i] + kGap;
  }
  if (sum - kGap > room) widths[kTemplate] = 0;
  return widths;
}

std::string LineOf(const Cells& cells, const Widths& widths) {
  std::string line;
  for (size_t i = 0; i < kColumns; ++i) {
    if (widths[i] == 0) continue;
    const size_t blank = widths[i] - CountCharacters(cells[i]) + kGap;
    absl::StrAppend(&line, cells[i], std::string(blank, ' '));
  }
  absl::StripTrailingAsciiWhitespace(&line);
  return line;
}

int ColourOf(const ShownNode& node) {
  if (node.failed()) return 31;
  if (node.phase == "Succeeded") return 32;
  return node.phase == "Running" ? 36 : 90;
}

// The line of a row with its symbol in colour, unless that was cut off.
std::string Coloured(const std::string& line, const Row& row) {
  const char* symbol = PhaseSymbol(row.node->phase);
  const std::string begin = absl::StrCat(row.branch, symbol);
  if (!absl::StartsWith(line, begin)) return line;
  return absl::StrCat(row.branch, "\033[", ColourOf(*row.node), "m", symbol,
                      "\033[0m", line.substr(begin.size()));
}

std::string Headline(const ShownWorkflow& workflow, absl::Time now) {
  std::string line = absl::StrCat(workflow.name, "  ", workflow.phase);
  const std::string duration = Span(workflow.started, workflow.finished, now);
  if (!duration.empty()) absl::StrAppend(&line, "  ", duration);
  if (!workflow.progress.empty()) {
    absl::StrAppend(&line, "  ", workflow.progress, " done");
  }
  if (!workflow.message.empty()) {
    absl::StrAppend(&line, "  ", OnOneLine(workflow.message));
  }
  return line;
}

}  // namespace

std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return absl::ascii_iscntrl(c); },
      ' ');
  return text;
}

std::string Cut(const std::string& text, size_t width) {
  if (CountCharacters(text) <= width) return text;
  size_t characters = 0;
  size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (text[end] & 0xC0) != 0x80;
    if (begins && ++characters == width) break;
  }
  return absl::StrCat(text.substr(0, end), "…");
}

const char* PhaseSymbol(const std::string& phase) {
  if (phase == "Succeeded") return "✔";
  if (phase == "Failed") return "✖";
  if (phase == "Error") return "⚠";
  if (phase == "Running") return "●";
  if (phase == "Skipped" || phase == "Omitted") return "○";
  return "◷";
}

std::string DurationOf(const ShownNode& node, absl::Time now) {
  return node.type == "Skipped" ? "" : Span(node.started, node.finished, now);
}

std::vector<std::string> TreeLines(const ShownWorkflow& workflow,
                                   absl::Time now, const TreeStyle& style) {
  // The headline, the headings and two lines more are always there.
  const size_t height = std::max<size_t>(style.height, 4) - 2;
  std::vector<Row> rows = Rows(workflow, now).Make();
  const size_t left_out = FitHeight(rows, height);
  std::vector<std::string> lines = {Cut(Headline(workflow, now), style.width)};
  if (rows.empty()) return lines;
  const Widths widths = WidthsOf(rows, style.width);
  lines.push_back(Cut(LineOf(Headings(), widths), style.width));
  for (const Row& row : rows) {
    const std::string line = Cut(LineOf(row.cells, widths), style.width);
    lines.push_back(style.coloured ? Coloured(line, row) : line);
  }
  if (left_out > 0) {
    const std::string more = absl::StrCat("… and ", left_out, " more");
    lines.push_back(Cut(more, style.width));
  }
  return lines;
}

}  // namespace rekindle::argo
