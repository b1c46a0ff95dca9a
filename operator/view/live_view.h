#ifndef REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_
#define REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {

// What a view is drawn on.
struct Screen {
  bool terminal = false;
  bool coloured = false;
  size_t rows = 24;
  size_t columns = 80;
};

// What the descriptor `fd` leads to now; NO_COLOR keeps it plain.
Screen ScreenOf(int fd);

// How a workflow is going, in a cluster or here: on a terminal its tree, drawn
// over itself as far as it fits; elsewhere a line for each node that begins or
// ends, and the tree once at the end. Thread-compatible.
class LiveView {
 public:
  // How often a drawing is worth its while although nothing else changed than
  // the time.
  static constexpr absl::Duration kTick = absl::Milliseconds(100);

  // `screen` is asked before each drawing, as windows change their size. `out`
  // is not owned and must outlive this.
  LiveView(std::ostream& out, std::function<Screen()> screen);

  // Whether there is a terminal to draw on.
  bool draws() const { return screen_().terminal; }

  // Where there is none: the line of one node, unless it was told already.
  void Tell(const ShownNode& node, absl::Time now);

  // Shows a workflow as it is now.
  void Show(const ShownWorkflow& workflow, absl::Time now);
  // The same for the last time: the whole tree, which stays.
  void Finish(const ShownWorkflow& workflow, absl::Time now);

  // A line below the tree on a terminal, as long as it is not empty; drawn by
  // Show().
  void SetNotice(std::string notice) { notice_ = std::move(notice); }

 private:
  // Back to where the last drawing began.
  std::string ToTheTop() const;
  void Draw(const std::vector<std::string>& lines);
  void TellAll(const ShownWorkflow& workflow, absl::Time now);

  std::ostream& out_;
  const std::function<Screen()> screen_;
  size_t drawn_lines_ = 0;
  std::string notice_;
  std::map<std::string, std::string> told_;  // phase by node
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_
