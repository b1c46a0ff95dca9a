#include "operator/view/duration_text.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace rekindle::argo {
namespace {

TEST(DurationTextTest, IsAsPreciseAsAPersonWants) {
  EXPECT_EQ(DurationText(absl::Milliseconds(40)), "40ms");
  EXPECT_EQ(DurationText(absl::Milliseconds(999.9)), "999ms");
  EXPECT_EQ(DurationText(absl::Seconds(3)), "3s");
  EXPECT_EQ(DurationText(absl::Seconds(3.25)), "3.2s");
  EXPECT_EQ(DurationText(absl::Seconds(12.5)), "12s");
  EXPECT_EQ(DurationText(absl::Seconds(65)), "1m05s");
  EXPECT_EQ(DurationText(absl::Minutes(123)), "2h03m");
}

TEST(DurationTextTest, NothingIsLessThanNoTime) {
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0s");
  EXPECT_EQ(DurationText(absl::Seconds(-2)), "0s");
}

}  // namespace
}  // namespace rekindle::argo
