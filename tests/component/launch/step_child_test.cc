#include "component/launch/step_child.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "component/launch/failure.h"
#include "component/launch/secret_mask.h"
#include "component/launch/step.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StepChildTest : public ::testing::Test {
 protected:
  StepChildTest() {
    context_.execution_dir = dir_.path();
    context_.attempt_dir = dir_.path();
    context_.facts = &facts_;
    context_.stop_fds = {stop_fd_};
    context_.kill_fds = {kill_fd_};
    context_.check_stop = [] { return absl::CancelledError("asked"); };
    child_.name = "the child";
  }

  absl::Status Run(const std::string& script) {
    child_.argv = {"sh", "-c", script};
    return RunStepChild(child_, context_);
  }

  // Fails for the reason, with the code.
  void ExpectFailure(const absl::Status& status, FailureReason reason,
                     StatusCode code) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(FailureReasonName(ReasonOf(status)), FailureReasonName(reason));
  }

  int64_t Fact(const std::string& name) {
    return facts_.properties.at(name).int_value();
  }

  static void MakeReadable(int fd) {
    const uint64_t one = 1;
    ASSERT_EQ(write(fd, &one, sizeof(one)), sizeof(one));
  }

  TempDir dir_;
  const int stop_fd_ = eventfd(0, EFD_CLOEXEC);
  const int kill_fd_ = eventfd(0, EFD_CLOEXEC);
  AttemptFacts facts_;
  StepContext context_;
  StepChild child_;
};

TEST_F(StepChildTest, ItsLinesAreLoggedAndPassedOn) {
  std::vector<std::string> lines;
  child_.on_line = [&](absl::string_view line) { lines.emplace_back(line); };
  EXPECT_THAT(Run("echo out; echo err >&2"), IsOk());
  EXPECT_THAT(lines, ElementsAre("out", "err"));
  EXPECT_EQ(*ReadFile(dir_ / "log.txt"), "out\nerr\n");
  EXPECT_GT(Fact("peak_rss_bytes"), 0);
  EXPECT_FALSE(facts_.properties.contains("exit_code"));
}

TEST_F(StepChildTest, ASecretThatItPrintsIsNowhere) {
  std::vector<std::string> lines;
  child_.on_line = [&](absl::string_view line) { lines.emplace_back(line); };
  child_.mask = SecretMask({"hunter2"});
  EXPECT_FALSE(Run("echo token=hunter2; exit 1").ok());
  EXPECT_THAT(lines, ElementsAre("token=***"));
  EXPECT_EQ(*ReadFile(dir_ / "log.txt"), "token=***\n");
  EXPECT_EQ(facts_.log_tail, "token=***\n");
}

TEST_F(StepChildTest, WhatSeveralOfThemUseIsAddedUp) {
  EXPECT_THAT(Run("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"), IsOk());
  const int64_t peak = Fact("peak_rss_bytes");
  const double seconds = facts_.properties.at("cpu_seconds").double_value();
  EXPECT_GT(seconds, 0);
  EXPECT_THAT(Run("true"), IsOk());
  EXPECT_GE(Fact("peak_rss_bytes"), peak);
  EXPECT_GE(facts_.properties.at("cpu_seconds").double_value(), seconds);
}

TEST_F(StepChildTest, AnExitCodeIsRecordedWithTheLastLines) {
  const absl::Status status = Run("echo why; exit 3");
  ExpectFailure(status, FailureReason::kChildExitCode, StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("the child ended with exit code 3"));
  EXPECT_EQ(Fact("exit_code"), 3);
  EXPECT_EQ(facts_.log_tail, "why\n");
}

TEST_F(StepChildTest, ItMaySayItselfThatARetryMayHelp) {
  ExpectFailure(Run("exit 75"), FailureReason::kChildExitCode,
                StatusCode::kUnavailable);
}

TEST_F(StepChildTest, ACrashIsItsOwnFault) {
  const absl::Status status = Run("kill -SEGV $$");
  ExpectFailure(status, FailureReason::kChildSignal, StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("crashed (SIGSEGV)"));
  EXPECT_EQ(Fact("signal"), SIGSEGV);
}

TEST_F(StepChildTest, SigkillWithoutEvidenceIsNotOutOfMemory) {
  ExpectFailure(Run("kill -KILL $$"), FailureReason::kChildSignal,
                StatusCode::kUnavailable);
  ExpectFailure(Run("sh -c 'kill -KILL $$'; exit $?"),
                FailureReason::kChildExitCode, StatusCode::kUnavailable);
}

TEST_F(StepChildTest, AProgramThatIsNotThereCannotStart) {
  child_.argv = {"/no/such/program"};
  const absl::Status status = RunStepChild(child_, context_);
  ExpectFailure(status, FailureReason::kChildCannotStart,
                StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("/no/such/program"));
}

TEST_F(StepChildTest, OneThatDoesNotEndIsStoppedBeforeTheDeadline) {
  context_.deadline = absl::Now() + absl::Milliseconds(400);
  const absl::Status status = Run("trap '' TERM; while :; do sleep 0.01; done");
  ExpectFailure(status, FailureReason::kDeadline,
                StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Fact("signal"), SIGKILL);
}

TEST_F(StepChildTest, OneThatStopsWhenAskedBeforeTheDeadlineHasFailedToo) {
  context_.deadline = absl::Now() + absl::Seconds(2);
  ExpectFailure(Run("trap 'exit 0' TERM; while :; do sleep 0.01; done"),
                FailureReason::kDeadline, StatusCode::kDeadlineExceeded);
}

TEST_F(StepChildTest, IsToldTheDeadlineAndWhereToPutItsProgress) {
  context_.deadline = absl::Now() + absl::Hours(1);
  context_.progress_file = dir_ / "argo";
  EXPECT_THAT(
      Run("echo 3/4 > $REKINDLE_PROGRESS_FILE; echo $REKINDLE_DEADLINE"),
      IsOk());
  EXPECT_EQ(*ReadFile(dir_ / "argo"), "3/4");
  absl::Time told;
  std::string error;
  const std::string log = *ReadFile(dir_ / "log.txt");
  ASSERT_TRUE(absl::ParseTime(absl::RFC3339_sec, log, &told, &error)) << log;
  EXPECT_LT(told, context_.deadline);
}

TEST_F(StepChildTest, ProgressIsPassedOnWhileItRuns) {
  context_.progress_file = dir_ / "argo";
  // The child goes on only when its progress was read.
  EXPECT_THAT(Run("echo 1/2 > $REKINDLE_PROGRESS_FILE; "
                  "until grep -qs 1/2 " +
                  dir_ / "argo" +
                  "; do sleep 0.01; done; echo 2/2 > $REKINDLE_PROGRESS_FILE"),
              IsOk());
  EXPECT_EQ(*ReadFile(dir_ / "argo"), "2/2");
}

TEST_F(StepChildTest, AStopIsWhatTheStepSaysItIs) {
  child_.on_line = [this](absl::string_view) { MakeReadable(stop_fd_); };
  EXPECT_THAT(Run("echo ready; sleep 1000"),
              StatusIs(StatusCode::kCancelled, "asked"));
}

TEST_F(StepChildTest, ASecondStopEndsTheGraceAtOnce) {
  child_.grace = absl::Hours(1);
  child_.on_line = [this](absl::string_view line) {
    MakeReadable(line == "ready" ? stop_fd_ : kill_fd_);
  };
  EXPECT_THAT(
      Run("trap 'echo busy' TERM; echo ready; while :; do sleep 0.01; done"),
      StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(Fact("signal"), SIGKILL);
}

}  // namespace
}  // namespace rekindle
