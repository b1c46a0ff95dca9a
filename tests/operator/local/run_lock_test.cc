#include "operator/local/run_lock.h"

#include <array>
#include <csignal>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

// A process that has the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& folder) {
    std::array<int, 2> ends;
    EXPECT_EQ(pipe(ends.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const auto lock = RunLock::Take(folder);
      const char taken = lock.ok() ? 'y' : 'n';
      if (write(ends[1], &taken, 1) == 1) pause();
      _exit(0);
    }
    char taken = '\0';
    EXPECT_EQ(read(ends[0], &taken, 1), 1);
    EXPECT_EQ(taken, 'y');
    close(ends[0]);
    close(ends[1]);
  }
  ~Holder() { Kill(); }

  pid_t pid() const { return pid_; }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

TEST(RunLockTest, WhoHoldsItIsNamed) {
  const TempDir dir;
  const Holder holder(dir.path());
  EXPECT_THAT(RunLock::Take(dir.path()),
              StatusIs(absl::StatusCode::kAborted,
                       HasSubstr(absl::StrCat("process ", holder.pid()))));
}

TEST(RunLockTest, ItDiesWithItsProcess) {
  const TempDir dir;
  Holder holder(dir.path());
  holder.Kill();
  EXPECT_THAT(RunLock::Take(dir.path()), IsOk());
}

}  // namespace
}  // namespace rekindle::argo
