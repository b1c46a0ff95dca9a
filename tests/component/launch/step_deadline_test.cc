#include "component/launch/step_deadline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST(ParseDeadlineTest, TakesADurationOrATime) {
  EXPECT_EQ(*ParseDeadline("90m", kNow), kNow + absl::Minutes(90));
  EXPECT_EQ(*ParseDeadline("2027-01-15T08:00:10Z", kNow),
            kNow + absl::Seconds(10));
  EXPECT_EQ(*ParseDeadline("2027-01-15T09:00:10+01:00", kNow),
            kNow + absl::Seconds(10));
}

TEST(ParseDeadlineTest, NothingAndGosZeroTimeMeanNever) {
  EXPECT_EQ(*ParseDeadline("", kNow), absl::InfiniteFuture());
  EXPECT_EQ(*ParseDeadline("0001-01-01T00:00:00Z", kNow),
            absl::InfiniteFuture());
}

TEST(ParseDeadlineTest, RefusesWhatIsNeither) {
  for (const char* text : {"soon", "-5m", "0s", "2027-01-15", "5"}) {
    EXPECT_THAT(ParseDeadline(text, kNow),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)))
        << text;
  }
}

TEST(PlanStopTest, AsksOneGraceBeforeTheDeadline) {
  const StopPlan plan =
      PlanStop(kNow + absl::Hours(1), absl::Seconds(25), kNow);
  EXPECT_EQ(plan.stop_at, kNow + absl::Hours(1) - absl::Seconds(25));
  EXPECT_EQ(plan.grace, absl::Seconds(25));
}

TEST(PlanStopTest, OfAShortTimeKeepsBackAQuarter) {
  const StopPlan plan =
      PlanStop(kNow + absl::Seconds(20), absl::Seconds(25), kNow);
  EXPECT_EQ(plan.stop_at, kNow + absl::Seconds(15));
  EXPECT_EQ(plan.grace, absl::Seconds(5));
}

TEST(PlanStopTest, ADeadlineThatHasPassedIsNow) {
  const StopPlan plan =
      PlanStop(kNow - absl::Seconds(1), absl::Seconds(25), kNow);
  EXPECT_LE(plan.stop_at, kNow);
  EXPECT_EQ(plan.grace, absl::ZeroDuration());
}

TEST(PlanStopTest, WithoutADeadlineNothingStops) {
  const StopPlan plan =
      PlanStop(absl::InfiniteFuture(), absl::Seconds(25), kNow);
  EXPECT_EQ(plan.stop_at, absl::InfiniteFuture());
  EXPECT_EQ(plan.grace, absl::Seconds(25));
}

}  // namespace
}  // namespace rekindle
