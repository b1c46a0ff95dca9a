#include "base/secret_variable.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"

namespace rekindle {
namespace {

constexpr char kName[] = "REKINDLE_TEST_SECRET";

bool ProcShowsIt() {
  return absl::StrContains(*ReadFile("/proc/self/environ"), "hunter2");
}

// /proc shows the variables that a process was started with. So each test runs
// once more, in a process that was started with the secret: there this returns
// true, and here false, with nothing left to do.
bool HasTheSecret() {
  if (std::getenv(kName) != nullptr) return true;
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter = absl::StrCat(
      "--gtest_filter=", test->test_suite_name(), ".", test->name());
  const pid_t child = fork();
  if (child == 0) {
    setenv(kName, "hunter2", /*overwrite=*/1);
    execl("/proc/self/exe", "base_test", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return false;
}

TEST(SecretVariableTest, IsGoneOnceItIsTaken) {
  if (!HasTheSecret()) return;
  EXPECT_TRUE(ProcShowsIt());
  EXPECT_EQ(TakeSecretVariable(kName), "hunter2");
  EXPECT_FALSE(ProcShowsIt());
  EXPECT_EQ(std::getenv(kName), nullptr);
  EXPECT_EQ(TakeSecretVariable(kName), std::nullopt);
}

TEST(SecretVariableTest, ThereIsNothingLeftOfAnEnvironmentThatIsCleared) {
  if (!HasTheSecret()) return;
  ClearEnvironment();
  EXPECT_FALSE(ProcShowsIt());
  EXPECT_EQ(std::getenv("PATH"), nullptr);
}

}  // namespace
}  // namespace rekindle
