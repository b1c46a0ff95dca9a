#include "base/first_process.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "gtest/gtest.h"

namespace rekindle {
namespace {

// Runs `work` below a process that inherits orphans, as number 1 does; the wait
// status of that process.
int StatusOf(const std::function<int()>& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    _exit(RunAndReap(work));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

int ExitCodeOf(const std::function<int()>& work) {
  const int status = StatusOf(work);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FirstProcessTest, AnswersWithTheExitCodeOfTheWork) {
  EXPECT_EQ(ExitCodeOf([] { return 0; }), 0);
  EXPECT_EQ(ExitCodeOf([] { return 75; }), 75);
}

TEST(FirstProcessTest, AnswersASignalAsAShellDoes) {
  EXPECT_EQ(ExitCodeOf([] { return std::raise(SIGKILL); }), 128 + SIGKILL);
}

TEST(FirstProcessTest, PassesSignalsOn) {
  EXPECT_EQ(ExitCodeOf([] {
              // Whoever ends a container signals its first process.
              kill(getppid(), SIGTERM);
              pause();
              return 0;
            }),
            128 + SIGTERM);
}

TEST(FirstProcessTest, WaitsForOrphans) {
  EXPECT_EQ(ExitCodeOf([] {
              int orphan_pipe[2];
              if (pipe(orphan_pipe) != 0) return 1;
              if (fork() == 0) {
                const pid_t orphan = fork();
                if (orphan == 0) _exit(0);
                const ssize_t n = write(orphan_pipe[1], &orphan, sizeof(pid_t));
                _exit(n == sizeof(pid_t) ? 0 : 1);
              }
              pid_t orphan = 0;
              if (read(orphan_pipe[0], &orphan, sizeof(pid_t)) < 0) return 1;
              wait(nullptr);
              // A zombie still has its number; one that was waited for has not.
              while (kill(orphan, 0) == 0) usleep(1000);
              return 7;
            }),
            7);
}

TEST(FirstProcessTest, AProcessWithAnotherNumberJustWorks) {
  const pid_t us = getpid();
  EXPECT_EQ(RunAsFirstProcess([us] { return getpid() == us ? 3 : 4; }), 3);
}

}  // namespace
}  // namespace rekindle
