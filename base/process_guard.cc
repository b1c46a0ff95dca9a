#include "base/process_guard.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/stray_processes.h"

namespace rekindle {
namespace {

sigset_t OnlySigchld() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return set;
}

[[noreturn]] void BecomeProgram(const GuardSpec& spec, int error_fd,
                                pid_t guard) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(1);  // The guard died before the line above.
  RestoreSignals();
  const sigset_t blocked = OnlySigchld();
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  const int null_fd = open("/dev/null", O_RDONLY);
  dup2(null_fd, STDIN_FILENO);
  dup2(spec.output_fd, STDOUT_FILENO);
  dup2(spec.output_fd, STDERR_FILENO);
  execvpe(spec.argv[0], spec.argv, spec.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(error_fd, &error, sizeof(error));
  _exit(127);
}

// The errno of a failed exec, or 0: exec closes the pipe without a word.
int ExecError(int read_fd) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(read_fd, &error, sizeof(error));
  } while (n < 0 && errno == EINTR);
  return n == sizeof(error) ? error : 0;
}

GuardStarted StartProgram(const GuardSpec& spec) {
  std::array<int, 2> error_pipe;
  if (pipe2(error_pipe.data(), O_CLOEXEC) != 0) return {errno, 0};
  const pid_t guard = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(spec, error_pipe[1], guard);
  if (pid < 0) return {errno, 0};
  close(error_pipe[1]);
  // Also here, so that the group exists whichever process runs first.
  setpgid(pid, pid);
  const int error = ExecError(error_pipe[0]);
  close(error_pipe[0]);
  return {error, pid};
}

// Whether the program has ended. It is left to be waited for, so that nobody
// else gets its number; whatever else has ended is not.
bool HasEnded(pid_t program) {
  while (true) {
    siginfo_t ended = {};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    if (ended.si_pid == 0) return false;
    if (ended.si_pid == program) return true;
    waitpid(ended.si_pid, nullptr, 0);
  }
}

// Passes on what we are told. False when nobody can tell us any more.
bool PassOnSignals(int channel_fd, pid_t program) {
  char signal_number = 0;
  const ssize_t n = recv(channel_fd, &signal_number, 1, MSG_DONTWAIT);
  if (n == 1) kill(-program, signal_number);
  return n == 1 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void WatchUntilTheEnd(int channel_fd, int child_fd, pid_t program) {
  std::array<pollfd, 2> polled = {
      {{channel_fd, POLLIN, 0}, {child_fd, POLLIN, 0}}};
  while (!HasEnded(program)) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    signalfd_siginfo ignored;
    [[maybe_unused]] const ssize_t n =
        read(child_fd, &ignored, sizeof(ignored));
    if (polled[0].revents != 0 && !PassOnSignals(channel_fd, program)) return;
  }
}

template <typename Message>
void Send(int channel_fd, const Message& message) {
  send(channel_fd, &message, sizeof(message), MSG_NOSIGNAL);
}

}  // namespace

void RunGuard(const GuardSpec& spec) {
  prctl(PR_SET_NAME, "rekindle-guard");
  setpgid(0, 0);
  BecomeReaper();
  const sigset_t sigchld = OnlySigchld();
  sigprocmask(SIG_BLOCK, &sigchld, nullptr);

  const GuardStarted started = StartProgram(spec);
  CloseAllBut(spec.channel_fd);
  Send(spec.channel_fd, started);
  if (started.error != 0) _exit(0);

  const int child_fd = signalfd(-1, &sigchld, SFD_NONBLOCK | SFD_CLOEXEC);
  WatchUntilTheEnd(spec.channel_fd, child_fd, started.pid);
  kill(-started.pid, SIGKILL);
  GuardEnded ended;
  wait4(started.pid, &ended.status, 0, nullptr);
  EndStrays();
  getrusage(RUSAGE_CHILDREN, &ended.usage);
  Send(spec.channel_fd, ended);
  _exit(0);
}

}  // namespace rekindle
