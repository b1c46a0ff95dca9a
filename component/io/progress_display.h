#ifndef REKINDLE_COMPONENT_IO_PROGRESS_DISPLAY_H_
#define REKINDLE_COMPONENT_IO_PROGRESS_DISPLAY_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {

// How far a run is.
struct TrainingProgress {
  int64_t step = 0;
  int64_t total_steps = 0;
  int64_t examples = 0;  // that this process has trained on
  double loss = 0;
};

struct ProgressDisplayOptions {
  std::ostream* out = nullptr;  // not owned, must outlive the display
  bool is_terminal = false;
  // Width of the terminal, asked each time: it may change.
  std::function<int()> columns = [] { return 80; };
  std::function<absl::Time()> now = absl::Now;
};

// Shows a person how far training is, with the loss, examples/s and the time
// left: on a terminal as a bar in the last line, redrawn at most ten times a
// second; elsewhere as a line at most every ten seconds. Thread-compatible.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(ProgressDisplayOptions options);

  // Shows `progress`, if it is time to.
  void Update(const TrainingProgress& progress);

  // Prints a line of text, above the bar.
  void Print(absl::string_view line);

  // Shows the last progress, if it was not shown, and ends the bar's line: the
  // next Update starts a new one. Does nothing when there was none.
  void Finish();

 private:
  // Takes `progress` into the rates, which forget what was long ago.
  void Measure(const TrainingProgress& progress, absl::Time now);
  void Show(absl::Time now);
  void EraseBar();
  // The bar and what is beside it, no wider than `columns`.
  std::string Line(int columns) const;
  std::string TimeLeft() const;

  const ProgressDisplayOptions options_;
  std::optional<TrainingProgress> progress_;  // the last
  absl::Time measured_;
  double steps_per_second_ = 0;
  double examples_per_second_ = 0;
  bool is_shown_ = false;  // the last progress
  bool bar_is_drawn_ = false;
  absl::Time shown_ = absl::InfinitePast();
};

// Columns of the terminal behind file descriptor `fd`; 80 when it does not say.
int TerminalColumns(int fd);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_PROGRESS_DISPLAY_H_
