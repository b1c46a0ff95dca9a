#include "operator/view/live_view.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/ioctl.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "operator/view/shown_workflow.h"
#include "operator/view/tree_text.h"

namespace rekindle::argo {
namespace {

// "✔ penguin-x7k2p.train  Succeeded  3.2s" and its message.
std::string LineOf(const ShownNode& node, absl::Time now) {
  std::string line =
      absl::StrCat(PhaseSymbol(node.phase), " ", node.name, "  ", node.phase);
  const bool ended = node.finished != absl::InfiniteFuture();
  const std::string duration = ended ? DurationOf(node, now) : "";
  if (!duration.empty()) absl::StrAppend(&line, "  ", duration);
  if (!node.message.empty()) absl::StrAppend(&line, "  ", node.message);
  return OnOneLine(line);
}

}  // namespace

Screen ScreenOf(int fd) {
  Screen screen;
  screen.terminal = isatty(fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  screen.coloured =
      screen.terminal && (no_colour == nullptr || *no_colour == '\0');
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 1) {
    screen.rows = size.ws_row;
    screen.columns = size.ws_col;
  }
  return screen;
}

LiveView::LiveView(std::ostream& out, std::function<Screen()> screen)
    : out_(out), screen_(std::move(screen)) {}

void LiveView::Show(const ShownWorkflow& workflow, absl::Time now) {
  const Screen screen = screen_();
  if (!screen.terminal) return TellAll(workflow, now);
  // The last line is the cursor's, and a full one would wrap.
  const size_t width = screen.columns - 1;
  const size_t kept = notice_.empty() ? 1 : 2;
  const size_t height = std::max(screen.rows, kept) - kept;
  std::vector<std::string> lines =
      TreeLines(workflow, now, {width, height, screen.coloured});
  if (!notice_.empty()) lines.push_back(Cut(OnOneLine(notice_), width));
  Draw(lines);
}

void LiveView::Finish(const ShownWorkflow& workflow, absl::Time now) {
  const Screen screen = screen_();
  if (screen.terminal) {
    out_ << ToTheTop() << "\033[J";
  } else {
    TellAll(workflow, now);
    out_ << "\n";
  }
  TreeStyle whole;
  whole.coloured = screen.coloured;
  for (const std::string& line : TreeLines(workflow, now, whole)) {
    out_ << line << "\n";
  }
  out_ << std::flush;
}

std::string LiveView::ToTheTop() const {
  return drawn_lines_ == 0 ? "" : absl::StrCat("\033[", drawn_lines_, "F");
}

// Writes over the last drawing and erases what is left of it, all at once, so
// that nothing flickers.
void LiveView::Draw(const std::vector<std::string>& lines) {
  std::string frame = ToTheTop();
  for (const std::string& line : lines) {
    absl::StrAppend(&frame, line, "\033[K\n");
  }
  absl::StrAppend(&frame, "\033[J");
  out_ << frame << std::flush;
  drawn_lines_ = lines.size();
}

void LiveView::Tell(const ShownNode& node, absl::Time now) {
  if (!node.is_leaf() || node.waits()) return;
  std::string& told = told_[node.id];
  if (told == node.phase) return;
  told = node.phase;
  out_ << LineOf(node, now) << "\n" << std::flush;
}

void LiveView::TellAll(const ShownWorkflow& workflow, absl::Time now) {
  for (const ShownNode& node : workflow.nodes) Tell(node, now);
}

}  // namespace rekindle::argo
