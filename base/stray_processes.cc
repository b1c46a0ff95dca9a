#include "base/stray_processes.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace rekindle {
namespace {

constexpr std::array kNotForTheReaper = {SIGINT, SIGTERM, SIGHUP, SIGQUIT,
                                         SIGPIPE};

void SetHandlers(void (*handler)(int)) {
  for (const int signal_number : kNotForTheReaper) {
    signal(signal_number, handler);
  }
}

// Kills the children of this process; those of others become ours with that.
// False when the kernel does not say who they are.
bool KillChildren() {
  const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4096> text;
  pid_t pid = 0;
  for (ssize_t n = 0; (n = read(fd, text.data(), text.size())) > 0;) {
    std::for_each(text.begin(), text.begin() + n, [&pid](char c) {
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
      } else if (pid != 0) {
        kill(pid, SIGKILL);
        pid = 0;
      }
    });
  }
  close(fd);
  return true;
}

}  // namespace

void BecomeReaper() {
  SetHandlers(SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void RestoreSignals() { SetHandlers(SIG_DFL); }

void CloseAllBut(int kept) {
  const auto fd = static_cast<unsigned int>(kept);
  if (fd > 0) syscall(SYS_close_range, 0U, fd - 1, 0);
  syscall(SYS_close_range, fd + 1, ~0U, 0);
}

void EndStrays() {
  constexpr timespec kMoment = {.tv_sec = 0, .tv_nsec = 1'000'000};
  while (true) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended > 0) continue;
    if (ended < 0 || !KillChildren()) return;
    nanosleep(&kMoment, nullptr);
  }
}

}  // namespace rekindle
