#include "component/launch/step_time.h"

#include <memory>
#include <optional>
#include <poll.h>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/cancellation.h"
#include "base/event_fd.h"

namespace rekindle {
namespace {

class TickerThread : public Ticker {
 public:
  TickerThread(absl::Duration first, Tick tick)
      : thread_([this, first, tick = std::move(tick)] { Run(first, tick); }) {}
  ~TickerThread() override {
    stop_.Happen();
    thread_.join();
  }

 private:
  void Run(absl::Duration first, const Tick& tick) const {
    std::optional<absl::Duration> pause = first;
    while (pause.has_value() && SleepUnlessReadable(stop_.fd(), *pause)) {
      pause = tick();
    }
  }

  EventFd stop_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Ticker> StartTickerThread(absl::Duration first, Tick tick) {
  return std::make_unique<TickerThread>(first, std::move(tick));
}

bool WaitUnlessReadable(absl::Duration duration, const std::vector<int>& fds) {
  std::vector<pollfd> stops;
  for (const int fd : fds) stops.push_back({fd, POLLIN, 0});
  // A signal may cut it short, which says nothing about the descriptors.
  return poll(stops.data(), stops.size(),
              static_cast<int>(absl::ToInt64Milliseconds(duration))) <= 0;
}

}  // namespace rekindle
