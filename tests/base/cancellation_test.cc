#include "base/cancellation.h"

#include <cerrno>
#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace rekindle {
namespace {

// More signals than its pipe holds: whatever the last one interrupts must not
// take the failed write for its own.
int ErrnoAfterManySignals() {
  constexpr int kMany = 70'000;
  Cancellation::Get();
  for (int i = 0; i < kMany; ++i) std::raise(SIGTERM);
  errno = 0;
  std::raise(SIGTERM);
  return errno;
}

// In a process of its own, which the signals are for.
TEST(CancellationTest, ASignalLeavesErrnoAsItIs) {
  const pid_t child = fork();
  if (child == 0) _exit(ErrnoAfterManySignals());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace rekindle
