#include "rekindle/training/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
Tensor Values(const TensorShape& shape, const std::vector<T>& values) {
  Tensor tensor(tensorflow::DataTypeToEnum<T>::value, shape);
  std::copy(values.begin(), values.end(), tensor.flat<T>().data());
  return tensor;
}

NamedTensors BinaryStep(const std::vector<float>& labels,
                        const std::vector<float>& scores) {
  return {{"label", Values({static_cast<int64_t>(labels.size())}, labels)},
          {"scores", Values({static_cast<int64_t>(scores.size())}, scores)}};
}

const ClassificationInputs& Inputs() {
  static const auto* inputs = new ClassificationInputs{"label", "scores", {}};
  return *inputs;
}

std::vector<std::unique_ptr<Metric>> ClassificationMetrics() {
  std::vector<std::unique_ptr<Metric>> metrics;
  metrics.push_back(MakeAccuracy(Inputs()));
  metrics.push_back(MakePrecisionAndRecall(Inputs()));
  metrics.push_back(MakeAuc(Inputs()));
  metrics.push_back(MakeLogLoss(Inputs()));
  return metrics;
}

std::vector<std::unique_ptr<Metric>> AllMetrics() {
  std::vector<std::unique_ptr<Metric>> metrics = ClassificationMetrics();
  metrics.push_back(MakeMeanSquaredError({"label", "scores"}));
  metrics.push_back(MakeMeanAbsoluteError({"label", "scores"}));
  metrics.push_back(MakeMean("scores", "label"));
  return metrics;
}

TEST(MetricsTest, ReportNothingBeforeTheFirstStepAndAfterReset) {
  for (const auto& metric : AllMetrics()) {
    Logs logs;
    metric->Report(&logs);
    EXPECT_THAT(logs, IsEmpty());
    ASSERT_TRUE(metric->Update(BinaryStep({0, 1}, {0.2, 0.9})).ok());
    metric->Reset();
    metric->Report(&logs);
    EXPECT_THAT(logs, IsEmpty());
  }
}

TEST(MetricsTest, StartAnewAfterReset) {
  for (const auto& metric : AllMetrics()) {
    const NamedTensors step = BinaryStep({0, 1, 1}, {0.2, 0.9, 0.3});
    Logs first;
    ASSERT_TRUE(metric->Update(step).ok());
    metric->Report(&first);
    metric->Reset();
    Logs second;
    ASSERT_TRUE(metric->Update(step).ok());
    metric->Report(&second);
    EXPECT_EQ(first, second);
  }
}

TEST(MetricsTest, NameTheTensorThatIsMissing) {
  NamedTensors step = BinaryStep({0}, {0.2});
  step["score"] = step["scores"];
  step.erase("scores");
  for (const auto& metric : AllMetrics()) {
    const absl::Status updated = metric->Update(step);
    EXPECT_TRUE(absl::IsInvalidArgument(updated));
    EXPECT_THAT(std::string(updated.message()),
                HasSubstr("'scores', which the step does not put out; did you "
                          "mean 'score'?"));
  }
}

TEST(MetricsTest, RefuseScoresThatAreNotOneRowPerLabel) {
  for (const auto& metric : ClassificationMetrics()) {
    const absl::Status updated =
        metric->Update(BinaryStep({0, 1, 1}, {0.2, 0.9}));
    EXPECT_TRUE(absl::IsInvalidArgument(updated));
    EXPECT_THAT(std::string(updated.message()),
                HasSubstr("3 labels from 'label' and 2 scores"));
  }
}

TEST(MetricsTest, RefuseLabelsThatAreNoClass) {
  for (const float label : {-1.0f, 2.0f, 0.5f, std::nanf("")}) {
    for (const auto& metric : ClassificationMetrics()) {
      const absl::Status updated = metric->Update(BinaryStep({label}, {0.2}));
      EXPECT_TRUE(absl::IsInvalidArgument(updated));
      EXPECT_THAT(std::string(updated.message()),
                  HasSubstr("expected the number of one of 2 classes"));
    }
  }
}

TEST(MetricsTest, AucRefusesScoresThatAreNoProbabilities) {
  const auto metric = MakeAuc(Inputs());
  const absl::Status updated = metric->Update(BinaryStep({1}, {1.5}));
  EXPECT_TRUE(absl::IsInvalidArgument(updated));
  EXPECT_THAT(std::string(updated.message()), HasSubstr("the score 1.5"));
}

TEST(MetricsTest, TakeScoresThatAreNotANumber) {
  for (const auto& metric : ClassificationMetrics()) {
    EXPECT_TRUE(metric->Update(BinaryStep({1}, {std::nanf("")})).ok());
  }
}

TEST(MetricsTest, RefuseStrings) {
  NamedTensors step = BinaryStep({1}, {0.2});
  step["label"] = Values<tensorflow::tstring>({1}, {"Gentoo"});
  const auto metric = MakeAccuracy(Inputs());
  EXPECT_THAT(std::string(metric->Update(step).message()),
              HasSubstr("'label', which is of string, expected float, int32 or "
                        "int64"));
}

TEST(MetricsTest, MeanRefusesExamplesWithoutRows) {
  const auto metric = MakeMean("loss", "label");
  const absl::Status updated =
      metric->Update({{"loss", Tensor(1.0f)}, {"label", Tensor(1.0f)}});
  EXPECT_TRUE(absl::IsInvalidArgument(updated));
  EXPECT_THAT(std::string(updated.message()),
              HasSubstr("'label', which is a scalar"));
}

}  // namespace
}  // namespace rekindle
