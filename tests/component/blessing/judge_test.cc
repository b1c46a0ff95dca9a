#include "component/blessing/judge.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

const SliceKey kBiscoe = {{"island", std::string("Biscoe")}};
const SliceKey kDream = {{"island", std::string("Dream")}};

// A model with an accuracy over all examples and on two islands.
ModelMetrics AModel(double all, double biscoe = 0.9, double dream = 0.9) {
  ModelMetrics model;
  model.slices = {{{}, {{"accuracy", all}}},
                  {kBiscoe, {{"accuracy", biscoe}}},
                  {kDream, {{"accuracy", dream}}}};
  return model;
}

Bound AtLeast(double limit, std::optional<SliceSpec> slices = SliceSpec{}) {
  Bound bound;
  bound.metric = "accuracy";
  bound.limit = limit;
  bound.slices = std::move(slices);
  return bound;
}

Bound Change(double limit, Bound::Of of = Bound::Of::kChange) {
  Bound bound = AtLeast(limit);
  bound.of = of;
  return bound;
}

struct JudgeCase {
  std::string name;
  std::vector<Bound> bounds;
  ModelMetrics candidate;
  std::optional<ModelMetrics> baseline;
  Verdict verdict;
  std::string reason;  // a part of it
};

class JudgeTest : public ::testing::TestWithParam<JudgeCase> {};

TEST_P(JudgeTest, SaysSoAndWhy) {
  const JudgeCase& given = GetParam();
  const auto judgement =
      Judge(given.bounds, given.candidate,
            given.baseline.has_value() ? &*given.baseline : nullptr);
  ASSERT_TRUE(judgement.ok()) << judgement.status();
  EXPECT_EQ(judgement->verdict, given.verdict);
  EXPECT_THAT(judgement->reason, HasSubstr(given.reason));
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Situations, JudgeTest,
    ::testing::ValuesIn(std::vector<JudgeCase>{
        {"NothingIsJudgedWithoutABound",
         {},
         AModel(0.9),
         std::nullopt,
         Verdict::kNotJudged,
         "no threshold was given"},
        {"NothingIsJudgedByAComparisonWithNothing",
         {Change(0)},
         AModel(0.9),
         std::nullopt,
         Verdict::kNotJudged,
         "no baseline model to compare with"},
        {"AComparisonWithNothingLeavesTheOtherBounds",
         {Change(0), AtLeast(0.8)},
         AModel(0.9),
         std::nullopt,
         Verdict::kBlessed,
         "all bounds are kept, 1 checked"},
        {"ABoundMayBeReached",
         {AtLeast(0.9)},
         AModel(0.9),
         std::nullopt,
         Verdict::kBlessed,
         "1 checked"},
        {"OneThatIsNotKeptIsEnough",
         {AtLeast(0.5), AtLeast(0.95)},
         AModel(0.9),
         std::nullopt,
         Verdict::kNotBlessed,
         "accuracy is 0.9, expected accuracy >= 0.95"},
        {"NanKeepsNoBound",
         {AtLeast(-1)},
         AModel(kNan),
         std::nullopt,
         Verdict::kNotBlessed,
         "accuracy is nan"},
        {"ABoundOfAllExamplesIsNotForSlices",
         {AtLeast(0.8)},
         AModel(0.9, 0.1, 0.1),
         std::nullopt,
         Verdict::kBlessed,
         "1 checked"},
        {"ABoundOfAFeatureIsForEachOfItsSlices",
         {AtLeast(0.8, SliceSpec{{"island"}, {}})},
         AModel(0.1, 0.9, 0.7),
         std::nullopt,
         Verdict::kNotBlessed,
         "accuracy is 0.7 in island=Dream"},
        {"ABoundOfOneValueIsForThatSliceAlone",
         {AtLeast(0.8, SliceSpec{{}, {{"island", "Biscoe"}}})},
         AModel(0.1, 0.9, 0.7),
         std::nullopt,
         Verdict::kBlessed,
         "1 checked"},
        {"ABoundWithoutSlicesIsForAllOfThem",
         {AtLeast(0.8, std::nullopt)},
         AModel(0.9, 0.9, 0.7),
         std::nullopt,
         Verdict::kNotBlessed,
         "island=Dream"},
        {"ASliceThatIsNotThereKeepsNoBound",
         {AtLeast(0, SliceSpec{{}, {{"island", "Atlantis"}}})},
         AModel(0.9),
         std::nullopt,
         Verdict::kNotBlessed,
         "no example is in a slice island=Atlantis"},
        {"ASmallLossIsAllowed",
         {Change(-0.25)},
         AModel(0.5),
         AModel(0.75),
         Verdict::kBlessed,
         "1 checked"},
        {"ALargerOneIsNot",
         {Change(-0.125)},
         AModel(0.5),
         AModel(0.75),
         Verdict::kNotBlessed,
         "the change of accuracy is -0.25"},
        {"AShareIsOfTheBaseline",
         {Change(-0.5, Bound::Of::kRelativeChange)},
         AModel(0.25),
         AModel(0.5),
         Verdict::kBlessed,
         "1 checked"},
        {"ThereIsNoShareOfZero",
         {Change(0, Bound::Of::kRelativeChange)},
         AModel(0.25),
         AModel(0),
         Verdict::kNotBlessed,
         "nan"},
    }),
    [](const auto& tested) { return tested.param.name; });

TEST(JudgeMistakesTest, AMetricThatIsNotMeasuredIsAMistake) {
  Bound bound = AtLeast(0.9);
  bound.metric = "acuracy";
  const auto judgement = Judge({bound}, AModel(0.9), nullptr);
  EXPECT_TRUE(absl::IsInvalidArgument(judgement.status()));
  EXPECT_THAT(std::string(judgement.status().message()),
              HasSubstr("did you mean 'accuracy'?"));
}

TEST(JudgeMistakesTest, NotEveryObjectionFitsIntoASentence) {
  const auto judgement =
      Judge({AtLeast(0.99, std::nullopt), AtLeast(0.98, std::nullopt)},
            AModel(0.9), nullptr);
  ASSERT_TRUE(judgement.ok());
  EXPECT_THAT(judgement->reason, HasSubstr("; and 3 more"));
}

}  // namespace
}  // namespace rekindle
