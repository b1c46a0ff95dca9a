#include "operator/view/live_view.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/ioctl.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/view/node_graph.h"

namespace rekindle::argo {
namespace {

// The first `columns` characters of a line; colours take no room.
std::string Cut(absl::string_view line, int columns) {
  std::string cut;
  bool in_escape = false;
  for (const char c : line) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (c == '\033') in_escape = true;
    if (!in_escape && !continues && columns-- <= 0) {
      return absl::StrCat(cut, "\033[0m");
    }
    if (in_escape && c == 'm') in_escape = false;
    cut.push_back(c);
  }
  return cut;
}

}  // namespace

LiveView::Options LiveView::OptionsOf(int fd) {
  Options options;
  options.terminal = isatty(fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  options.coloured =
      options.terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 2) {
    options.rows = size.ws_row;
    options.columns = size.ws_col;
  }
  return options;
}

LiveView::LiveView(std::ostream& out, const Options& options)
    : out_(out), options_(options) {}

void LiveView::Show(const nlohmann::json& workflow, absl::Time now) {
  if (options_.terminal) {
    Draw(GraphText(workflow, {options_.coloured, now}), /*whole=*/false);
  } else {
    Tell(ShowNodes(workflow));
  }
}

void LiveView::Finish(const nlohmann::json& workflow, absl::Time now) {
  if (!options_.terminal) Tell(ShowNodes(workflow));
  Draw(GraphText(workflow, {options_.coloured, now}), /*whole=*/true);
}

void LiveView::Draw(const std::string& graph, bool whole) {
  std::vector<std::string> lines = absl::StrSplit(graph, '\n');
  lines.pop_back();  // behind the last line's end
  const auto room = static_cast<size_t>(options_.rows - 1);
  if (!whole && lines.size() > room) {
    lines.erase(lines.begin() + 1, lines.end() - (room - 1));
  }
  std::string text;
  if (drawn_lines_ > 0) text = absl::StrCat("\033[", drawn_lines_, "A\r\033[J");
  for (const std::string& line : lines) {
    absl::StrAppend(&text,
                    options_.terminal ? Cut(line, options_.columns - 1) : line,
                    "\n");
  }
  out_ << text << std::flush;
  drawn_lines_ = static_cast<int>(lines.size());
}

void LiveView::Tell(const std::vector<ShownNode>& nodes) {
  for (const ShownNode& node : nodes) {
    std::string& told = told_[node.id];
    if (told != node.phase && node.phase != "Pending" && !node.phase.empty()) {
      out_ << PhaseSymbol(node.phase) << " " << node.label << "  " << node.phase
           << (node.message.empty() ? "" : "  ") << node.message << "\n"
           << std::flush;
      told = node.phase;
    }
    Tell(node.children);
  }
}

}  // namespace rekindle::argo
