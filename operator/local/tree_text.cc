#include "operator/local/tree_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/utf8.h"
#include "operator/local/duration_text.h"

namespace rekindle::argo {
namespace {

struct Line {
  std::string indent;
  std::string text;
  Phase phase = Phase::kPending;
};

const char* ColorOf(Phase phase) {
  switch (phase) {
    case Phase::kSucceeded:
      return "\033[32m";
    case Phase::kFailed:
    case Phase::kError:
      return "\033[31m";
    case Phase::kRunning:
      return "\033[36m";
    default:
      return "\033[90m";
  }
}

std::string Cut(const std::string& text, size_t width) {
  if (CountCharacters(text) <= width) return text;
  size_t at = 0;
  for (size_t count = 0; count + 1 < width && at < text.size(); ++count) {
    do {
      ++at;
    } while (at < text.size() && (text[at] & 0xC0) == 0x80);
  }
  return absl::StrCat(text.substr(0, at), "…");
}

// Draws a node and what is below it.
class Drawing {
 public:
  Drawing(const NodeTree& tree, absl::Time now) : tree_(tree), now_(now) {
    for (const Node& node : tree.nodes()) {
      if (node.type == NodeType::kStepGroup) continue;
      below_[OwnerOf(node)].push_back(&node);
    }
  }

  std::vector<Line> Draw() {
    for (const Node* root : below_[""]) Add(*root, "", "");
    return std::move(lines_);
  }

 private:
  // A node that lists `node` as its child and is of the same boundary: the
  // group of an item, the Retry of an attempt, the node of a hook.
  std::string OwnerOf(const Node& node) {
    const size_t hook = node.name.rfind(".hooks.");
    std::string above;
    if (node.hooked && absl::EndsWith(node.name, ".onExit")) {
      above = node.name.substr(0, node.name.size() - 7);
    } else if (node.hooked && hook != std::string::npos) {
      above = node.name.substr(0, hook);
    } else if (absl::EndsWith(node.name, ")")) {
      above = node.name.substr(0, node.name.rfind('('));
    }
    const Node* owner = above.empty() ? nullptr : tree_.Find(above);
    if (owner != nullptr && owner->name != tree_.workflow_name()) {
      return owner->id;
    }
    if (owner != nullptr && node.retried) return owner->id;
    return node.boundary_id;
  }

  void Add(const Node& node, const std::string& first,
           const std::string& rest) {
    lines_.push_back({first, TextOf(node), node.phase});
    const auto found = below_.find(node.id);
    if (found == below_.end()) return;
    const auto& below = found->second;
    for (size_t i = 0; i < below.size(); ++i) {
      const bool last = i + 1 == below.size();
      Add(*below[i], absl::StrCat(rest, last ? "└─" : "├─"),
          absl::StrCat(rest, last ? "  " : "│ "));
    }
  }

  std::string TextOf(const Node& node) const {
    std::string name = node.display_name;
    if (node.retried) {
      name = absl::StrCat("attempt ", node.name.substr(node.name.rfind('(')));
    }
    std::string text = name;
    const bool ran = node.type != NodeType::kSkipped;
    if (ran && node.phase != Phase::kPending) {
      const absl::Time end = node.fulfilled() ? node.finished_at : now_;
      absl::StrAppend(&text, "  ", ShortDuration(end - node.started_at));
    }
    if (!node.fulfilled() && !node.progress.empty()) {
      absl::StrAppend(&text, "  ", node.progress);
    }
    if (!node.message.empty()) {
      absl::StrAppend(&text, "  ",
                      absl::StrReplaceAll(node.message, {{"\n", " "}}));
    }
    return text;
  }

  const NodeTree& tree_;
  const absl::Time now_;
  std::map<std::string, std::vector<const Node*>> below_;
  std::vector<Line> lines_;
};

// How much a line matters when there is no room for all.
int WeightOf(Phase phase) {
  return IsFailure(phase) || phase == Phase::kRunning ? 0
         : phase == Phase::kPending                   ? 1
                                                      : 2;
}

// Leaves out lines from the end of what matters least.
size_t FitHeight(std::vector<Line>& lines, size_t height) {
  if (lines.size() <= height || height < 2) return 0;
  size_t to_drop = lines.size() - (height - 1);
  const size_t dropped = to_drop;
  for (int weight = 2; weight >= 0 && to_drop > 0; --weight) {
    for (size_t i = lines.size(); i-- > 1 && to_drop > 0;) {
      if (WeightOf(lines[i].phase) != weight) continue;
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      --to_drop;
    }
  }
  return dropped;
}

}  // namespace

const char* PhaseSymbol(Phase phase) {
  switch (phase) {
    case Phase::kSucceeded:
      return "✔";
    case Phase::kFailed:
      return "✖";
    case Phase::kError:
      return "⚠";
    case Phase::kRunning:
      return "●";
    case Phase::kPending:
      return "◷";
    default:
      return "○";
  }
}

std::vector<std::string> TreeLines(const NodeTree& tree, absl::Time now,
                                   const TreeStyle& style) {
  std::vector<Line> lines = Drawing(tree, now).Draw();
  const size_t dropped = FitHeight(lines, style.height);
  std::vector<std::string> texts;
  for (const Line& line : lines) {
    const std::string mark = PhaseSymbol(line.phase);
    const size_t used = CountCharacters(line.indent) + 2;
    const std::string text =
        Cut(line.text, style.width > used ? style.width - used : 1);
    texts.push_back(style.color ? absl::StrCat(line.indent, ColorOf(line.phase),
                                               mark, "\033[0m ", text)
                                : absl::StrCat(line.indent, mark, " ", text));
  }
  if (dropped > 0) texts.push_back(absl::StrCat("… and ", dropped, " more"));
  return texts;
}

}  // namespace rekindle::argo
