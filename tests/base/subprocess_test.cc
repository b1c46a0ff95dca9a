#include "base/subprocess.h"

#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

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

bool IsRunning(pid_t pid) { return kill(pid, 0) == 0; }

// Prints the number of a grandchild that left the group and its parents.
constexpr char kStartDaemon[] = "(setsid sleep 1000 & echo $!) & wait; sleep ";

pid_t ReadPid(int fd) {
  std::string line;
  for (char c = 0; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return std::stoi(line);
}

TEST(SubprocessTest, ADaemonOfTheChildEndsWithIt) {
  auto child =
      Subprocess::Start({"sh", "-c", std::string(kStartDaemon) + "0.05"});
  ASSERT_TRUE(child.ok()) << child.status();
  const pid_t daemon = ReadPid((*child)->output_fd());
  EXPECT_TRUE((*child)->Wait().ok());
  EXPECT_FALSE(IsRunning(daemon));
}

TEST(SubprocessTest, NothingOutlivesAParentThatIsKilled) {
  std::array<int, 2> pids;
  ASSERT_EQ(pipe(pids.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    auto child =
        Subprocess::Start({"sh", "-c", std::string(kStartDaemon) + "1000"});
    const std::array<pid_t, 2> started = {(*child)->pid(),
                                          ReadPid((*child)->output_fd())};
    [[maybe_unused]] const ssize_t n =
        write(pids[1], started.data(), sizeof(started));
    pause();
  }
  close(pids[1]);
  std::array<pid_t, 2> started;
  ASSERT_EQ(read(pids[0], started.data(), sizeof(started)), sizeof(started));
  close(pids[0]);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  for (const pid_t pid : started) {
    // Its guard must notice first.
    for (int i = 0; i < 3000 && IsRunning(pid); ++i) usleep(10'000);
    EXPECT_FALSE(IsRunning(pid));
  }
}

TEST(SubprocessTest, TheDeathOfItsGuardIsADeathBySigkill) {
  auto child = Subprocess::Start({"sh", "-c", "echo $PPID; sleep 1000"});
  ASSERT_TRUE(child.ok()) << child.status();
  kill(ReadPid((*child)->output_fd()), SIGKILL);
  EXPECT_EQ((*child)->Wait().signal, SIGKILL);
}

TEST(SubprocessTest, WhatGrandchildrenUsedIsCounted) {
  const std::string fill = "head -c 60000000 /dev/zero | tail -c 50000000";
  auto child =
      Subprocess::Start({"sh", "-c", "(" + fill + " >/dev/null); true"});
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_GT((*child)->Wait().peak_rss_bytes, 50'000'000);
}

TEST(SubprocessTest, DestroyingItEndsTheProcess) {
  pid_t pid = 0;
  {
    auto child = Subprocess::Start({"sleep", "1000"});
    ASSERT_TRUE(child.ok()) << child.status();
    pid = (*child)->pid();
  }
  EXPECT_FALSE(IsRunning(pid));
}

}  // namespace
}  // namespace rekindle
