#include "component/launch/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/subprocess.h"

namespace rekindle {
namespace {

// Cuts a stream into lines. A line without an end comes last, at Flush().
class LineSplitter {
 public:
  explicit LineSplitter(const std::function<void(absl::string_view)>& on_line)
      : on_line_(on_line) {}

  void Add(absl::string_view bytes) {
    pending_.append(bytes.data(), bytes.size());
    size_t start = 0;
    for (size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n', start)) {
      on_line_({pending_.data() + start, end - start});
      start = end + 1;
    }
    pending_.erase(0, start);
  }

  void Flush() {
    if (!pending_.empty()) on_line_(pending_);
    pending_.clear();
  }

 private:
  const std::function<void(absl::string_view)>& on_line_;
  std::string pending_;
};

// Drives one child. The order of the descriptors in poll() is fixed: output,
// exit, then the stop descriptors.
class Supervision {
 public:
  Supervision(const ChildSpec& spec, Subprocess& child)
      : spec_(spec), child_(child), lines_(spec.on_line) {
    fcntl(child_.output_fd(), F_SETFL, O_NONBLOCK);
    polled_.push_back({child_.output_fd(), POLLIN, 0});
    polled_.push_back({child_.exit_fd(), POLLIN, 0});
    for (const int fd : spec.stop_fds) polled_.push_back({fd, POLLIN, 0});
  }

  ChildEnd Run() {
    while (!Exited()) {
      const int ready = poll(polled_.data(), polled_.size(), TimeoutMillis());
      if (ready < 0 && errno == EINTR) continue;
      if (polled_[kOutput].revents != 0) ReadOutput();
      if (StopRequested()) AskToStop();
      if (stopped_ && absl::Now() >= deadline_) child_.Signal(SIGKILL);
    }
    // Whatever it left running ends now: nobody else would wait for it.
    child_.Signal(SIGKILL);
    ReadOutput();
    lines_.Flush();
    return {child_.Wait(), stopped_};
  }

 private:
  static constexpr size_t kOutput = 0;
  static constexpr size_t kExit = 1;
  static constexpr size_t kFirstStop = 2;

  bool Exited() const { return polled_[kExit].revents != 0; }

  bool StopRequested() const {
    return !stopped_ &&
           std::any_of(polled_.begin() + kFirstStop, polled_.end(),
                       [](const pollfd& p) { return p.revents != 0; });
  }

  void AskToStop() {
    stopped_ = true;
    deadline_ = absl::Now() + spec_.grace;
    child_.Signal(SIGTERM);
    // They stay readable; polling them would spin.
    polled_.resize(kFirstStop);
  }

  int TimeoutMillis() const {
    if (!stopped_) return -1;
    const absl::Duration left =
        std::max(deadline_ - absl::Now(), absl::Milliseconds(50));
    return static_cast<int>(absl::ToInt64Milliseconds(left));
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
  std::vector<pollfd> polled_;
  bool stopped_ = false;
  absl::Time deadline_;
};

}  // namespace

absl::StatusOr<ChildEnd> RunChild(const ChildSpec& spec) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Subprocess> child,
                      Subprocess::Start(spec.argv, spec.environment));
  return Supervision(spec, *child).Run();
}

}  // namespace rekindle
