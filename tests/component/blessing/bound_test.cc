#include "component/blessing/bound.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(BoundTest, AThresholdIsForTheValueOverAllExamples) {
  const auto bound = ParseThreshold(" recall/Adelie <= 0.25 ");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->metric, "recall/Adelie");
  EXPECT_EQ(bound->side, Bound::Side::kAtMost);
  EXPECT_EQ(bound->limit, 0.25);
  EXPECT_EQ(bound->of, Bound::Of::kValue);
  EXPECT_EQ(bound->slices, SliceSpec{});
  EXPECT_EQ(bound->ToString(), "recall/Adelie <= 0.25");
}

TEST(BoundTest, AComparisonIsForTheChangeOrItsShare) {
  const auto change = ParseComparison("accuracy>=-0.01");
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->of, Bound::Of::kChange);
  EXPECT_EQ(change->ToString(), "accuracy - baseline >= -0.01");

  const auto share = ParseComparison("log_loss<=5%");
  ASSERT_TRUE(share.ok()) << share.status();
  EXPECT_EQ(share->of, Bound::Of::kRelativeChange);
  EXPECT_DOUBLE_EQ(share->limit, 0.05);
  EXPECT_EQ(share->ToString(), "log_loss - baseline <= 5%");
}

TEST(BoundTest, WhatIsNoBoundIsRefusedWithAnExample) {
  for (const char* text :
       {"", "accuracy", "accuracy>0.9", "accuracy=0.9", ">=0.9",
        "accuracy>=", "accuracy>=high", "accuracy>=nan", "accuracy>=inf"}) {
    for (const auto& bound : {ParseThreshold(text), ParseComparison(text)}) {
      EXPECT_TRUE(absl::IsInvalidArgument(bound.status())) << text;
      EXPECT_THAT(std::string(bound.status().message()),
                  HasSubstr("such as accuracy>="));
    }
  }
  EXPECT_FALSE(ParseThreshold("accuracy>=90%").ok());
}

TEST(SliceSpecTest, FeaturesAndValuesAreCrossed) {
  const auto slice = ParseSlice("island,sex=MALE");
  ASSERT_TRUE(slice.ok()) << slice.status();
  EXPECT_THAT(slice->features, ElementsAre("island"));
  EXPECT_THAT(slice->values, ElementsAre(Pair("sex", "MALE")));
}

TEST(SliceSpecTest, AFeatureIsNamedAndNamedOnce) {
  for (const char* text : {"", "=x", "island,", "island,island=Biscoe"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseSlice(text).status())) << text;
  }
}

}  // namespace
}  // namespace rekindle
