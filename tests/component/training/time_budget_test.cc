#include "component/training/time_budget.h"

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST(TimeBudgetTest, WithoutADeadlineItIsNeverUsedUp) {
  const TimeBudget budget(absl::InfiniteFuture());
  EXPECT_FALSE(budget.limited());
  EXPECT_FALSE(budget.IsUsedUp(kNow));
}

TEST(TimeBudgetTest, LeavesTimeForWhatWasMeasured) {
  TimeBudget budget(kNow + absl::Seconds(100));
  EXPECT_FALSE(budget.IsUsedUp(kNow + absl::Seconds(99)));
  budget.MeasuredSession(absl::Seconds(2));
  budget.MeasuredEvaluation(absl::Seconds(10));
  budget.MeasuredCheckpoint(absl::Seconds(4));
  // At least: a checkpoint, the evaluation, the export and a session to try it.
  EXPECT_GE(budget.Reserve(), absl::Seconds(4 + 10 + 4 + 2));
  EXPECT_FALSE(budget.IsUsedUp(kNow + absl::Seconds(60)));
  EXPECT_TRUE(budget.IsUsedUp(kNow + absl::Seconds(100 - 20)));
}

TEST(TimeBudgetTest, TheLongestOfAKindCounts) {
  TimeBudget budget(kNow + absl::Seconds(100));
  budget.MeasuredEvaluation(absl::Seconds(10));
  const absl::Duration reserve = budget.Reserve();
  budget.MeasuredEvaluation(absl::Seconds(1));
  EXPECT_EQ(budget.Reserve(), reserve);
}

TEST(TimeBudgetTest, AStepThatMightNotFitIsNotBegun) {
  TimeBudget budget(kNow + absl::Seconds(100));
  const absl::Time late = kNow + absl::Seconds(90);
  EXPECT_FALSE(budget.IsUsedUp(late));
  budget.MeasuredStep(absl::Seconds(15));
  EXPECT_TRUE(budget.IsUsedUp(late));
}

TEST(ParseInputDeadlineTest, TakesRfc3339OrNothing) {
  EXPECT_EQ(*ParseInputDeadline(""), absl::InfiniteFuture());
  EXPECT_EQ(*ParseInputDeadline("2027-01-15T08:00:00.5+00:00"),
            kNow + absl::Milliseconds(500));
  EXPECT_EQ(ParseInputDeadline("soon").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rekindle
