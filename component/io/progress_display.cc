#include "component/io/progress_display.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include <sys/ioctl.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rekindle {
namespace {

constexpr absl::Duration kRedrawInterval = absl::Milliseconds(100);
constexpr absl::Duration kLineInterval = absl::Seconds(10);
// Rates forget: what was this long ago counts 1/e.
constexpr absl::Duration kMemory = absl::Seconds(10);
constexpr int kDefaultColumns = 80;
constexpr int kWidestBar = 40;
constexpr int kNarrowestBar = 8;
constexpr char kEraseLine[] = "\r\x1b[K";

// 1234567 as "1.23M", so that it keeps its width.
std::string Short(double number) {
  for (const auto& [unit, suffix] : {std::pair(1e9, "G"), {1e6, "M"}}) {
    if (number >= unit) return absl::StrFormat("%.2f%s", number / unit, suffix);
  }
  return absl::StrFormat(number < 100 ? "%.1f" : "%.0f", number);
}

std::string Clock(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  const int64_t minutes = whole / 60;
  if (minutes < 60) return absl::StrFormat("%d:%02d", minutes, whole % 60);
  return absl::StrFormat("%d:%02d:%02d", minutes / 60, minutes % 60,
                         whole % 60);
}

// "[=====>    ]", `width` characters.
std::string Bar(double fraction, int width) {
  const int inside = width - 2;
  const int done = static_cast<int>(fraction * inside);
  std::string bar(static_cast<size_t>(inside), ' ');
  std::fill_n(bar.begin(), done, '=');
  if (done < inside) bar[static_cast<size_t>(done)] = '>';
  return absl::StrCat("[", bar, "]");
}

// The rate after `elapsed` seconds at `rate_now`.
double Smoothed(double rate, double rate_now, double elapsed) {
  const double kept = std::exp(-elapsed / absl::ToDoubleSeconds(kMemory));
  return kept * rate + (1 - kept) * rate_now;
}

}  // namespace

ProgressDisplay::ProgressDisplay(ProgressDisplayOptions options)
    : options_(std::move(options)) {}

void ProgressDisplay::Update(const TrainingProgress& progress) {
  const absl::Time now = options_.now();
  Measure(progress, now);
  progress_ = progress;
  is_shown_ = false;
  const absl::Duration since = now - shown_;
  const absl::Duration interval =
      options_.is_terminal ? kRedrawInterval : kLineInterval;
  // A clock that was set back must not silence it.
  if (since >= absl::ZeroDuration() && since < interval) return;
  Show(now);
}

void ProgressDisplay::Print(absl::string_view line) {
  EraseBar();
  *options_.out << line << "\n" << std::flush;
}

void ProgressDisplay::Finish() {
  if (!progress_.has_value()) return;
  if (!is_shown_) Show(options_.now());
  if (bar_is_drawn_) *options_.out << "\n" << std::flush;
  bar_is_drawn_ = false;
  progress_.reset();
  steps_per_second_ = examples_per_second_ = 0;
  shown_ = absl::InfinitePast();
}

void ProgressDisplay::Measure(const TrainingProgress& progress,
                              absl::Time now) {
  const double elapsed = absl::ToDoubleSeconds(now - measured_);
  if (progress_.has_value() && elapsed <= 0) return;
  if (progress_.has_value()) {
    const double steps =
        static_cast<double>(progress.step - progress_->step) / elapsed;
    const double examples =
        static_cast<double>(progress.examples - progress_->examples) / elapsed;
    const bool first = steps_per_second_ == 0;
    steps_per_second_ =
        first ? steps : Smoothed(steps_per_second_, steps, elapsed);
    examples_per_second_ =
        first ? examples : Smoothed(examples_per_second_, examples, elapsed);
  }
  measured_ = now;
}

void ProgressDisplay::Show(absl::Time now) {
  EraseBar();
  *options_.out << Line(options_.is_terminal ? options_.columns() - 1
                                             : kDefaultColumns);
  if (!options_.is_terminal) *options_.out << "\n";
  *options_.out << std::flush;
  bar_is_drawn_ = options_.is_terminal;
  is_shown_ = true;
  shown_ = now;
}

void ProgressDisplay::EraseBar() {
  if (bar_is_drawn_) *options_.out << kEraseLine;
  bar_is_drawn_ = false;
}

std::string ProgressDisplay::Line(int columns) const {
  // In the order in which a narrow terminal gives them up, from the end.
  std::vector<std::string> parts = {
      absl::StrCat("step ", progress_->step, "/", progress_->total_steps),
      absl::StrFormat("loss %.4g", progress_->loss)};
  if (steps_per_second_ > 0) {
    parts.push_back(absl::StrCat("ETA ", TimeLeft()));
    parts.push_back(absl::StrCat(Short(examples_per_second_), " examples/s"));
  }
  const auto limit = static_cast<size_t>(std::max(columns, 0));
  std::string line = absl::StrJoin(parts, " | ");
  while (line.size() > limit && parts.size() > 1) {
    parts.pop_back();
    line = absl::StrJoin(parts, " | ");
  }
  line.resize(std::min(line.size(), limit));
  const int room = columns - static_cast<int>(line.size()) - 1;
  if (!options_.is_terminal || room < kNarrowestBar) return line;
  const double fraction = static_cast<double>(progress_->step) /
                          static_cast<double>(progress_->total_steps);
  return absl::StrCat(
      Bar(std::clamp(fraction, 0.0, 1.0), std::min(room, kWidestBar)), " ",
      line);
}

std::string ProgressDisplay::TimeLeft() const {
  const int64_t left = progress_->total_steps - progress_->step;
  return Clock(static_cast<double>(std::max<int64_t>(left, 0)) /
               steps_per_second_);
}

int TerminalColumns(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kDefaultColumns;
  }
  return size.ws_col;
}

}  // namespace rekindle
