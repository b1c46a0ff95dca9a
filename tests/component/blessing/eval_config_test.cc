#include "component/blessing/eval_config.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using tensorflow_model_analysis::EvalConfig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EvalConfig Parse(const std::string& text) {
  EvalConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config));
  return config;
}

std::string RefusalOf(const std::string& text) {
  const auto plan = ReadEvalConfig(Parse(text));
  EXPECT_TRUE(absl::IsInvalidArgument(plan.status())) << text;
  return std::string(plan.status().message());
}

// As in TFX's own penguin example.
constexpr char kOfTfx[] = R"pb(
  model_specs { signature_name: "serving_examples" label_key: "species" }
  slicing_specs {}
  slicing_specs { feature_keys: "species" }
  metrics_specs {
    metrics {
      class_name: "SparseCategoricalAccuracy"
      threshold {
        value_threshold { lower_bound { value: 0.6 } }
        change_threshold {
          direction: HIGHER_IS_BETTER
          absolute { value: -1e-10 }
        }
      }
    }
  })pb";

TEST(EvalConfigTest, ReadsWhatTfxWrites) {
  const auto plan = ReadEvalConfig(Parse(kOfTfx));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->label_key, "species");
  EXPECT_EQ(plan->signature, "serving_examples");
  EXPECT_THAT(plan->slices, ElementsAre(SliceSpec{{"species"}, {}}));
  ASSERT_EQ(plan->bounds.size(), 2);
  EXPECT_EQ(plan->bounds[0].ToString(), "accuracy >= 0.6");
  EXPECT_EQ(plan->bounds[0].slices, std::nullopt);
  EXPECT_EQ(plan->bounds[1].ToString(), "accuracy - baseline >= -1e-10");
}

TEST(EvalConfigTest, WhatIsAddedIsRead) {
  EvalConfig config = Parse("model_specs { label_key: 'y' }");
  std::vector<Bound> bounds = {*ParseThreshold("accuracy>=0.9"),
                               *ParseComparison("accuracy>=-1%"),
                               *ParseThreshold("auc<=1")};
  bounds[2].slices = SliceSpec{{"a"}, {{"b", "1"}}};
  for (const Bound& bound : bounds) AddBound(bound, config);
  AddSlice(*bounds[2].slices, config);

  const auto plan = ReadEvalConfig(config);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->bounds, bounds);
  EXPECT_THAT(plan->slices, ElementsAre(*bounds[2].slices));
}

TEST(EvalConfigTest, WhatIsNotDoneIsRefusedByName) {
  EXPECT_THAT(RefusalOf(""), HasSubstr("--label-key"));
  const std::string model = "model_specs { label_key: 'y' } ";
  EXPECT_THAT(RefusalOf("model_specs { example_weight_key: 'w' }"),
              HasSubstr("example_weight_key"));
  EXPECT_THAT(RefusalOf(model + "slicing_specs { slice_keys_sql: 'x' }"),
              HasSubstr("slice_keys_sql"));
  EXPECT_THAT(
      RefusalOf(model + "metrics_specs { metrics { class_name: 'Recal' } }"),
      HasSubstr("the nearest one is Recall"));
  EXPECT_THAT(RefusalOf(model + "metrics_specs { output_names: 'head' }"),
              HasSubstr("output_names"));
  EXPECT_THAT(RefusalOf(model + "options { min_slice_size { value: 9 } }"),
              HasSubstr("min_slice_size"));
  EXPECT_THAT(
      RefusalOf(model + "metrics_specs { thresholds { key: 'auc' value { "
                        "change_threshold { absolute { value: 1 } } } } }"),
      HasSubstr("direction"));
}

TEST(EvalConfigTest, DefaultsNameTwoModelsAndOneSlice) {
  const EvalConfig config =
      WithDefaults(Parse("model_specs { label_key: 'y' }"), true);
  ASSERT_EQ(config.model_specs_size(), 2);
  EXPECT_EQ(config.model_specs(0).name(), "candidate");
  EXPECT_EQ(config.model_specs(1).name(), "baseline");
  EXPECT_TRUE(config.model_specs(1).is_baseline());
  EXPECT_EQ(config.slicing_specs_size(), 1);
  const auto plan = ReadEvalConfig(config);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->bounds, IsEmpty());
}

}  // namespace
}  // namespace rekindle
