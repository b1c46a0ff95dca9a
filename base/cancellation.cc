#include "base/cancellation.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "absl/time/time.h"

namespace rekindle {
namespace {

// Only what an asynchronous signal handler may touch.
std::atomic<int> last_signal{0};
std::atomic<int> signal_count{0};
int write_fd = -1;
int hurry_write_fd = -1;

void OnSignal(int signal) {
  last_signal = signal;
  const bool hurry = ++signal_count > 1;
  const char byte = 1;
  // Of whoever is interrupted.
  const int saved_errno = errno;
  // A full pipe is readable already, which is all that matters.
  [[maybe_unused]] const ssize_t n =
      write(hurry ? hurry_write_fd : write_fd, &byte, 1);
  errno = saved_errno;
}

void MakePipe(int& read_end, int& write_end) {
  std::array<int, 2> fds;
  if (pipe2(fds.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  read_end = fds[0];
  write_end = fds[1];
}

}  // namespace

Cancellation& Cancellation::Get() {
  static auto& instance = *new Cancellation;
  return instance;
}

Cancellation::Cancellation() {
  MakePipe(read_fd_, write_fd);
  MakePipe(hurry_read_fd_, hurry_write_fd);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int Cancellation::signal() const { return last_signal; }

int Cancellation::count() const { return signal_count; }

bool SleepUnlessReadable(int fd, absl::Duration duration) {
  pollfd stop = {fd, POLLIN, 0};
  // A signal may cut it short, which says nothing about the descriptor.
  return poll(&stop, 1,
              static_cast<int>(absl::ToInt64Milliseconds(duration))) != 1;
}

}  // namespace rekindle
