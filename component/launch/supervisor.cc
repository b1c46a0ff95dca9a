#include "component/launch/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/subprocess.h"

namespace rekindle {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

SteadyTime SteadyNow() { return std::chrono::steady_clock::now(); }

// Never, if that is later than the clock goes.
SteadyTime SteadyAfter(absl::Duration time) {
  const SteadyTime now = SteadyNow();
  if (time >= absl::FromChrono(SteadyTime::max() - now)) {
    return SteadyTime::max();
  }
  return now + absl::ToChronoNanoseconds(time);
}

// Cuts a stream into lines. A line without an end comes last, at Flush(); one
// that is too long is cut.
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(absl::string_view)>& on_line)
      : on_line_(on_line) {}

  void Add(absl::string_view bytes) {
    while (true) {
      const size_t end = bytes.find('\n');
      AddToLine(bytes.substr(0, end));
      if (end == absl::string_view::npos) return;
      EndLine();
      bytes.remove_prefix(end + 1);
    }
  }

  void Flush() {
    if (length_ > 0) EndLine();
  }

 private:
  void AddToLine(absl::string_view part) {
    const size_t room = kLongestLine - line_.size();
    length_ += part.size();
    line_.append(part.data(), std::min(part.size(), room));
  }

  void EndLine() {
    if (length_ > line_.size()) {
      absl::StrAppend(&line_, " [cut: the line has ", length_, " bytes]");
    }
    on_line_(line_);
    line_.clear();
    length_ = 0;
  }

  const std::function<void(absl::string_view)>& on_line_;
  std::string line_;
  size_t length_ = 0;  // of the line, with what was cut from it
};

// Drives one child. The order of the descriptors in poll() is fixed: output,
// exit, then those to stop at, then those to kill at.
class Supervision {
 public:
  Supervision(const ChildSpec& spec, Subprocess& child)
      : spec_(spec),
        child_(child),
        lines_(spec.on_line),
        first_kill_(kFirstStop + spec.stop_fds.size()),
        next_tick_(SteadyNow() + kTick) {
    fcntl(child_.output_fd(), F_SETFL, O_NONBLOCK);
    polled_.push_back({child_.output_fd(), POLLIN, 0});
    polled_.push_back({child_.exit_fd(), POLLIN, 0});
    for (const int fd : spec.stop_fds) polled_.push_back({fd, POLLIN, 0});
    for (const int fd : spec.kill_fds) polled_.push_back({fd, POLLIN, 0});
  }

  ChildEnd Run() {
    while (!Exited()) {
      const int ready = poll(polled_.data(), polled_.size(), TimeoutMillis());
      if (ready < 0 && errno == EINTR) continue;
      if (polled_[kOutput].revents != 0) ReadOutput();
      StopIfNeeded();
      KillIfNeeded();
      if (SteadyNow() >= next_tick_) {
        next_tick_ = SteadyNow() + kTick;
        spec_.on_tick();
      }
    }
    ReadOutput();
    lines_.Flush();
    return {child_.Wait(), cause_};
  }

 private:
  static constexpr size_t kOutput = 0;
  static constexpr size_t kExit = 1;
  static constexpr size_t kFirstStop = 2;
  static constexpr auto kTick = std::chrono::seconds(1);

  bool Exited() const { return polled_[kExit].revents != 0; }

  void StopIfNeeded() {
    if (cause_ != StopCause::kNone) return;
    if (TakeReadable(kFirstStop, first_kill_)) {
      cause_ = StopCause::kAsked;
    } else if (absl::Now() >= spec_.stop_at) {
      cause_ = StopCause::kTime;
    } else {
      return;
    }
    // By a clock that nobody sets.
    kill_at_ = SteadyAfter(spec_.grace);
    child_.Signal(SIGTERM);
  }

  void KillIfNeeded() {
    const bool grace_over =
        cause_ != StopCause::kNone && SteadyNow() >= kill_at_;
    if (TakeReadable(first_kill_, polled_.size()) || grace_over) {
      child_.Signal(SIGKILL);
      kill_at_ = SteadyTime::max();
    }
  }

  // Whether one of these is readable. If so none of them is looked at again:
  // they stay readable, and poll() would not wait.
  bool TakeReadable(size_t first, size_t last) {
    const auto begin = polled_.begin() + static_cast<ptrdiff_t>(first);
    const auto end = polled_.begin() + static_cast<ptrdiff_t>(last);
    if (std::none_of(begin, end,
                     [](const pollfd& p) { return p.revents != 0; }))
      return false;
    std::for_each(begin, end, [](pollfd& p) { p = {-1, 0, 0}; });
    return true;
  }

  int TimeoutMillis() const {
    SteadyTime wake = next_tick_;
    if (cause_ != StopCause::kNone) wake = std::min(wake, kill_at_);
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(wake - SteadyNow());
    const absl::Duration to_stop =
        cause_ == StopCause::kNone
            ? std::max(spec_.stop_at - absl::Now(), absl::ZeroDuration())
            : absl::InfiniteDuration();
    return static_cast<int>(std::clamp<int64_t>(
        left.count(), 0,
        absl::ToInt64Milliseconds(to_stop + absl::Milliseconds(1))));
  }

  void ReadOutput() {
    std::array<char, 1 << 14> buffer;
    while (true) {
      const ssize_t n = read(child_.output_fd(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n == 0) polled_[kOutput].fd = -1;  // Ended; poll() skips it.
      if (n <= 0) return;
      lines_.Add({buffer.data(), static_cast<size_t>(n)});
    }
  }

  const ChildSpec& spec_;
  Subprocess& child_;
  LineSplitter lines_;
  const size_t first_kill_;
  std::vector<pollfd> polled_;
  SteadyTime next_tick_;
  SteadyTime kill_at_;
  StopCause cause_ = StopCause::kNone;
};

}  // namespace

absl::StatusOr<ChildEnd> RunChild(const ChildSpec& spec) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Subprocess> child,
                      Subprocess::Start(spec.argv, spec.environment));
  return Supervision(spec, *child).Run();
}

}  // namespace rekindle
