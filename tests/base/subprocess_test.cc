#include "base/subprocess.h"

#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

std::string ReadAll(int fd) {
  std::string all;
  std::array<char, 256> buffer;
  for (ssize_t n = 0; (n = read(fd, buffer.data(), buffer.size())) > 0;) {
    all.append(buffer.data(), static_cast<size_t>(n));
  }
  return all;
}

TEST(SubprocessTest, PassesOutputEnvironmentAndExitCode) {
  auto child = Subprocess::Start(
      {"sh", "-c", "echo out; echo $RK_TEST; echo err >&2; exit 7"},
      {{"RK_TEST", "from us"}});
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(ReadAll((*child)->output_fd()), "out\nfrom us\nerr\n");
  const ProcessEnd end = (*child)->Wait();
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.signal, 0);
  EXPECT_GT(end.peak_rss_bytes, 0);
}

TEST(SubprocessTest, AMissingProgramIsNamed) {
  EXPECT_THAT(Subprocess::Start({"/no/such/program"}),
              StatusIs(absl::StatusCode::kNotFound,
                       ::testing::HasSubstr("/no/such/program")));
}

TEST(SubprocessTest, ASignalReachesTheWholeGroup) {
  // The grandchild keeps the pipe open: reading ends only when it is gone.
  auto child = Subprocess::Start({"sh", "-c", "sleep 1000 & echo ready; wait"});
  ASSERT_TRUE(child.ok()) << child.status();
  std::array<char, 6> ready;
  ASSERT_EQ(read((*child)->output_fd(), ready.data(), ready.size()), 6);
  (*child)->Signal(SIGTERM);
  EXPECT_EQ(ReadAll((*child)->output_fd()), "");
  EXPECT_EQ((*child)->Wait().signal, SIGTERM);
}

TEST(SubprocessTest, DestroyingItEndsTheProcess) {
  pid_t pid = 0;
  {
    auto child = Subprocess::Start({"sleep", "1000"});
    ASSERT_TRUE(child.ok()) << child.status();
    pid = (*child)->pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

}  // namespace
}  // namespace rekindle
