#include "component/evaluation/predictions.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

const std::vector<FeatureValue> kZeroAndOne = {int64_t{0}, int64_t{1}};

// Two rows of answers.
Tensor Rows(const std::vector<float>& values) {
  Tensor tensor(tensorflow::DT_FLOAT,
                {2, static_cast<int64_t>(values.size()) / 2});
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.flat<float>()(static_cast<int64_t>(i)) = values[i];
  }
  return tensor;
}

PredictionKind KindOf(const NamedTensors& answers,
                      const std::vector<FeatureValue>& labels = kZeroAndOne) {
  const auto form = FindForm({}, answers, labels);
  EXPECT_TRUE(form.ok()) << form.status();
  return form.ok() ? form->kind : PredictionKind::kAuto;
}

std::string RefusalOf(const EvaluationInput& input,
                      const NamedTensors& answers) {
  const auto form = FindForm(input, answers, kZeroAndOne);
  EXPECT_TRUE(absl::IsInvalidArgument(form.status()));
  return std::string(form.status().message());
}

TEST(PredictionsTest, RangesTellProbabilitiesFromLogits) {
  EXPECT_EQ(KindOf({{"y", Rows({0.25, 0.75, 1, 0})}}),
            PredictionKind::kProbabilities);
  EXPECT_EQ(KindOf({{"y", Rows({0.25, 0.25, 1, 0})}}), PredictionKind::kLogits);
  EXPECT_EQ(KindOf({{"y", Rows({-1, 2, 1, 0})}}), PredictionKind::kLogits);
  EXPECT_EQ(KindOf({{"y", Rows({0.25, 0.75})}}),
            PredictionKind::kProbabilities);
  EXPECT_EQ(KindOf({{"y", Rows({-3, 0.75})}}), PredictionKind::kLogits);
}

TEST(PredictionsTest, LabelsAndNamesTellARegression) {
  EXPECT_EQ(KindOf({{"y", Rows({0.25, 0.75})}}, {0.5F, 1.0F}),
            PredictionKind::kValues);
  EXPECT_EQ(KindOf({{"predictions", Rows({0.25, 0.75})}}),
            PredictionKind::kValues);
}

TEST(PredictionsTest, TheOutputIsFoundByItsName) {
  const auto form = FindForm(
      {}, {{"logits", Rows({1, 2, 3, 4})}, {"scores", Rows({0, 1, 1, 0})}},
      kZeroAndOne);
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_EQ(form->key, "scores");
  EXPECT_EQ(form->columns, 2);
}

TEST(PredictionsTest, WhatIsUnclearIsRefused) {
  const NamedTensors two = {{"left", Rows({0, 1})}, {"right", Rows({0, 1})}};
  EXPECT_THAT(RefusalOf({}, two), HasSubstr("left, right; --prediction-key"));
  EvaluationInput input;
  input.prediction_key = "lefd";
  EXPECT_THAT(RefusalOf(input, two), HasSubstr("did you mean 'left'?"));
  EXPECT_THAT(RefusalOf({}, {}), HasSubstr("nothing to measure"));
  EXPECT_THAT(RefusalOf({}, {{"y", Tensor(tensorflow::DT_FLOAT, {3})}}),
              HasSubstr("one row for each of 2 examples"));
  input = {};
  input.prediction_kind = PredictionKind::kValues;
  EXPECT_THAT(RefusalOf(input, {{"y", Rows({0, 1, 1, 0})}}),
              HasSubstr("a regression has one"));
}

TEST(PredictionsTest, LogitsBecomeProbabilities) {
  PredictionForm form;
  form.key = "y";
  form.kind = PredictionKind::kLogits;
  form.columns = 2;
  const auto read = ReadPredictions(form, {{"y", Rows({0, 0, 100, 0})}}, 2);
  ASSERT_TRUE(read.ok()) << read.status();
  const auto values = read->flat<float>();
  EXPECT_THAT(std::vector<float>(values.data(), values.data() + 4),
              ElementsAre(0.5F, 0.5F, FloatNear(1, 1e-6), FloatNear(0, 1e-6)));
}

TEST(PredictionsTest, WhatLookedLikeProbabilitiesMustStaySo) {
  PredictionForm form;
  form.key = "y";
  form.kind = PredictionKind::kProbabilities;
  const auto read = ReadPredictions(form, {{"y", Rows({0.5, 1.5})}}, 2);
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("1.5 under 'y', which is no probability"));
}

}  // namespace
}  // namespace rekindle
