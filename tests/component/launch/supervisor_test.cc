#include "component/launch/supervisor.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;

class SupervisorTest : public ::testing::Test {
 protected:
  ChildSpec Shell(const std::string& script) {
    ChildSpec spec;
    spec.argv = {"sh", "-c", script};
    spec.stop_fds = {stop_fd_};
    spec.on_line = [this](absl::string_view line) {
      lines_.emplace_back(line);
      if (line == "ready") AskToStop();
    };
    return spec;
  }

  void AskToStop() const {
    const uint64_t one = 1;
    ASSERT_EQ(write(stop_fd_, &one, sizeof(one)), sizeof(one));
  }

  const int stop_fd_ = eventfd(0, EFD_CLOEXEC);
  std::vector<std::string> lines_;
};

TEST_F(SupervisorTest, PassesOnLinesAlsoTheLastWithoutAnEnd) {
  RK_ASSERT_OK_AND_ASSIGN(const ChildEnd end,
                          RunChild(Shell("printf 'a\\n\\nb'; exit 3")));
  EXPECT_THAT(lines_, ElementsAre("a", "", "b"));
  EXPECT_EQ(end.process.exit_code, 3);
  EXPECT_EQ(end.stop_cause, StopCause::kNone);
}

TEST_F(SupervisorTest, AStopBecomesSigtermAndTheChildMayFinishItsWork) {
  RK_ASSERT_OK_AND_ASSIGN(
      const ChildEnd end,
      RunChild(Shell("trap 'echo checkpoint; exit 143' TERM; echo ready; "
                     "while :; do sleep 0.01; done")));
  // The shell may also say that its `sleep` was terminated.
  EXPECT_EQ(lines_.front(), "ready");
  EXPECT_EQ(lines_.back(), "checkpoint");
  EXPECT_EQ(end.stop_cause, StopCause::kAsked);
  EXPECT_EQ(end.process.exit_code, 143);
}

TEST_F(SupervisorTest, AGraceWithoutEndIsGiven) {
  ChildSpec spec = Shell(
      "trap 'sleep 0.2; echo checkpoint; exit 143' TERM; echo ready; "
      "while :; do sleep 0.01; done");
  spec.grace = absl::InfiniteDuration();
  RK_ASSERT_OK_AND_ASSIGN(const ChildEnd end, RunChild(spec));
  ASSERT_FALSE(lines_.empty());
  EXPECT_EQ(lines_.back(), "checkpoint");
  EXPECT_EQ(end.process.exit_code, 143) << end.process.signal;
}

TEST_F(SupervisorTest, AChildThatDoesNotStopIsKilledAfterTheGrace) {
  ChildSpec spec =
      Shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  spec.grace = absl::Milliseconds(100);
  RK_ASSERT_OK_AND_ASSIGN(const ChildEnd end, RunChild(spec));
  EXPECT_EQ(end.stop_cause, StopCause::kAsked);
  EXPECT_EQ(end.process.signal, SIGKILL);
}

TEST_F(SupervisorTest, ALineThatNeverEndsIsCutAndSaysSo) {
  RK_ASSERT_OK_AND_ASSIGN(
      const ChildEnd end,
      RunChild(
          Shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo next")));
  EXPECT_TRUE(end.process.ok());
  ASSERT_EQ(lines_.size(), 2);
  const std::string kept(kLongestLine, 'x');
  EXPECT_EQ(lines_[0],
            absl::StrCat(kept, " [cut: the line has 5000000 bytes]"));
  EXPECT_EQ(lines_[1], "next");
}

TEST_F(SupervisorTest, TimeStopsAChildToo) {
  ChildSpec spec = Shell("sleep 1000");
  spec.stop_at = absl::Now() + absl::Milliseconds(50);
  RK_ASSERT_OK_AND_ASSIGN(const ChildEnd end, RunChild(spec));
  EXPECT_EQ(end.stop_cause, StopCause::kTime);
  EXPECT_EQ(end.process.signal, SIGTERM);
}

TEST_F(SupervisorTest, WhatTheChildLeavesRunningEndsWithIt) {
  RK_ASSERT_OK_AND_ASSIGN(const ChildEnd end,
                          RunChild(Shell("sleep 1000 & echo $!")));
  EXPECT_TRUE(end.process.ok());
  ASSERT_EQ(lines_.size(), 1);
  EXPECT_EQ(kill(std::stoi(lines_[0]), 0), -1);
}

TEST_F(SupervisorTest, AProgramThatCannotStartIsAnError) {
  ChildSpec spec;
  spec.argv = {"/no/such/trainer"};
  EXPECT_THAT(RunChild(spec), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace rekindle
