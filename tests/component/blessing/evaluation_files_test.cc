#include "component/blessing/evaluation_files.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/records/tfrecord_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using tensorflow_model_analysis::MetricsForSlice;
using tensorflow_model_analysis::ValidationResult;

const SliceKey kBiscoe = {{"island", std::string("Biscoe")}};

ModelMetrics AModel(const std::string& name, double accuracy) {
  return {name,
          {"Adelie", "Gentoo"},
          {{{}, {{"accuracy", accuracy}, {"recall/Gentoo", 0.5}}},
           {kBiscoe, {{"accuracy", accuracy}}}}};
}

template <typename Message>
std::vector<Message> ReadAll(const std::string& path) {
  std::vector<Message> messages;
  const auto reader = OpenTfRecordReader(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  while (true) {
    const auto record = (*reader)->Next();
    EXPECT_TRUE(record.ok()) << record.status();
    if (!record->has_value()) return messages;
    EXPECT_TRUE(messages.emplace_back().ParseFromString(std::string(**record)));
  }
}

TEST(EvaluationFilesTest, OneModelHasNoNameAndAClassHasItsNumber) {
  const auto slices = MetricsBySlice({AModel("candidate", 0.75)});
  ASSERT_EQ(slices.size(), 2);
  const auto& recall = slices[0].metric_keys_and_values(1);
  EXPECT_EQ(recall.key().name(), "recall");
  EXPECT_EQ(recall.key().model_name(), "");
  EXPECT_EQ(recall.key().sub_key().class_id().value(), 1);
  EXPECT_EQ(recall.value().double_value().value(), 0.5);
  EXPECT_EQ(slices[1].slice_key().single_slice_keys(0).bytes_value(), "Biscoe");
}

TEST(EvaluationFilesTest, TwoModelsHaveNamesAndADifference) {
  const auto slices =
      MetricsBySlice({AModel("candidate", 0.75), AModel("baseline", 0.5)});
  ASSERT_EQ(slices[1].metric_keys_and_values_size(), 3);
  const auto& difference = slices[1].metric_keys_and_values(2);
  EXPECT_TRUE(difference.key().is_diff());
  EXPECT_EQ(difference.key().model_name(), "candidate");
  EXPECT_EQ(difference.value().double_value().value(), 0.25);
}

TEST(EvaluationFilesTest, WritesWhatWasNotKept) {
  Evaluation evaluation;
  evaluation.models = {AModel("candidate", 0.75)};
  Bound bound = *ParseThreshold("accuracy>=0.9");
  bound.slices = std::nullopt;
  const auto judgement = Judge({bound}, evaluation.models[0], nullptr);
  ASSERT_TRUE(judgement.ok()) << judgement.status();
  evaluation.judgement = *judgement;
  TempDir dir;
  ASSERT_TRUE(WriteEvaluation(evaluation, dir.path()).ok());

  const auto metrics =
      ReadAll<MetricsForSlice>(dir / "metrics-00000-of-00001.tfrecord");
  EXPECT_EQ(metrics.size(), 2);
  const auto results = ReadAll<ValidationResult>(dir / "validations.tfrecord");
  ASSERT_EQ(results.size(), 1);
  EXPECT_FALSE(results[0].validation_ok());
  ASSERT_EQ(results[0].metric_validations_per_slice_size(), 2);
  const auto& failure = results[0].metric_validations_per_slice(1).failures(0);
  EXPECT_EQ(failure.metric_key().name(), "accuracy");
  EXPECT_EQ(failure.metric_value().double_value().value(), 0.75);
  EXPECT_EQ(failure.metric_threshold().value_threshold().lower_bound().value(),
            0.9);
  EXPECT_EQ(
      results[0].validation_details().slicing_details(0).num_matching_slices(),
      2);
}

}  // namespace
}  // namespace rekindle
