#include "base/backoff.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;

class BackoffTest : public ::testing::Test {
 protected:
  BackoffTest() {
    options_.clock = &clock_;
    options_.random = [] { return 1.0; };
    options_.sleep = [this](absl::Duration pause) {
      pauses_.push_back(pause);
      clock_.Advance(pause);
      return true;
    };
  }

  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::vector<absl::Duration> pauses_;
  Backoff::Options options_;
};

TEST_F(BackoffTest, PausesDoubleUpToTheLongest) {
  options_.first = absl::Seconds(1);
  options_.longest = absl::Seconds(5);
  Backoff backoff(options_);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(backoff.WaitForNextTry());
  EXPECT_THAT(pauses_,
              ElementsAre(absl::Seconds(1), absl::Seconds(2), absl::Seconds(4),
                          absl::Seconds(5), absl::Seconds(5)));
}

TEST_F(BackoffTest, ChanceShortensAPauseByHalfAtMost) {
  options_.random = [] { return 0.0; };
  options_.first = options_.longest = absl::Seconds(2);
  Backoff backoff(options_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(backoff.WaitForNextTry());
  EXPECT_THAT(pauses_, Each(absl::Seconds(1)));
}

TEST_F(BackoffTest, TakesAllOfItsTimeAndNoMore) {
  const absl::Time start = clock_.Now();
  options_.total = absl::Seconds(30);
  int calls = 0;
  const absl::Status status = RetryWhileTransient(Backoff(options_), [&] {
    ++calls;
    return absl::UnavailableError("away");
  });
  EXPECT_EQ(status, absl::UnavailableError("away"));
  EXPECT_EQ(clock_.Now() - start, absl::Seconds(30));
  EXPECT_THAT(calls, Ge(5));
}

TEST_F(BackoffTest, AnAnswerEndsIt) {
  int calls = 0;
  const absl::StatusOr<int> answer =
      RetryWhileTransient(Backoff(options_), [&]() -> absl::StatusOr<int> {
        if (++calls < 3) return absl::DeadlineExceededError("no answer");
        return 7;
      });
  EXPECT_EQ(answer.value(), 7);
  EXPECT_EQ(pauses_.size(), 2);
}

TEST_F(BackoffTest, ARefusalIsAnAnswer) {
  int calls = 0;
  RetryWhileTransient(Backoff(options_), [&] {
    ++calls;
    return absl::AbortedError("the claim was lost");
  }).IgnoreError();
  EXPECT_EQ(calls, 1);
}

TEST_F(BackoffTest, WithoutTimeThereIsOneTry) {
  options_.total = absl::ZeroDuration();
  EXPECT_FALSE(Backoff(options_).WaitForNextTry());
}

TEST_F(BackoffTest, ASleeperThatWakesEarlyEndsIt) {
  options_.sleep = [](absl::Duration) { return false; };
  EXPECT_FALSE(Backoff(options_).WaitForNextTry());
}

}  // namespace
}  // namespace rekindle
