#include "base/first_process.h"

#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <unistd.h>

#include <sys/types.h>
#include <sys/wait.h>

#include "base/secret_variable.h"

namespace rekindle {
namespace {

constexpr int kSignalled = 128;

// All but those that a fault of our own raises: blocked, they would hang it.
sigset_t SignalsToPassOn() {
  sigset_t set;
  sigfillset(&set);
  constexpr std::array kFaults = {SIGFPE,  SIGILL,  SIGSEGV, SIGBUS,
                                  SIGABRT, SIGTRAP, SIGSYS};
  for (const int fault : kFaults) sigdelset(&set, fault);
  return set;
}

// A group of its own, so that Ctrl-C reaches the child once: from the terminal,
// not from us again. SIGTTOU, which asking for the terminal raises, is blocked.
void LeadForegroundGroup() {
  setpgid(0, 0);
  if (isatty(STDIN_FILENO) != 0) tcsetpgrp(STDIN_FILENO, getpgrp());
}

int ExitCodeOf(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status)
                             : WEXITSTATUS(status);
}

// Waits for all that have ended; the child's exit code if it is among them.
std::optional<int> Reap(pid_t child) {
  std::optional<int> exit_code;
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended == child) exit_code = ExitCodeOf(status);
  }
  return exit_code;
}

int Attend(pid_t child, const sigset_t& signals) {
  while (true) {
    const int signal_number = sigwaitinfo(&signals, nullptr);
    if (signal_number == SIGCHLD) {
      if (const auto exit_code = Reap(child)) return *exit_code;
    } else if (signal_number > 0) {
      kill(child, signal_number);
    }
  }
}

}  // namespace

int RunAsFirstProcess(const std::function<int()>& work) {
  return getpid() == 1 ? RunAndReap(work) : work();
}

int RunAndReap(const std::function<int()>& work) {
  const sigset_t signals = SignalsToPassOn();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t child = fork();
  if (child > 0) {
    // What was meant for the work is not to be read at number 1.
    ClearEnvironment();
    return Attend(child, signals);
  }
  if (child == 0) LeadForegroundGroup();
  // No room for a child: without one the work can still be done.
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return work();
}

}  // namespace rekindle
