#include "component/data/schema_inference.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/data/statistics_collector.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Statistics of examples, each given by its features.
tfmd::DatasetFeatureStatistics StatisticsOf(
    const std::vector<std::string>& examples) {
  StatisticsCollector collector;
  for (const std::string& features : examples) {
    const auto example =
        Parse<tensorflow::Example>("features { " + features + " }");
    EXPECT_THAT(collector.Add(example.SerializeAsString()), IsOk());
  }
  return collector.Finish();
}

std::string Feature(const std::string& name, const std::string& list) {
  return "feature { key: '" + name + "' value { " + list + " } }";
}

tfmd::Schema Infer(const std::vector<std::string>& examples) {
  const auto schema = InferSchema({StatisticsOf(examples)});
  EXPECT_THAT(schema, IsOk());
  return *schema;
}

TEST(SchemaInferenceTest, InfersTypesPresenceShapesAndDomains) {
  EXPECT_THAT(
      Infer({Feature("mass", "float_list { value: 1.5 }") +
                 Feature("sex", "bytes_list { value: 'male' }") +
                 Feature("year", "int64_list { value: 2007 }"),
             Feature("mass", "float_list { value: 2 }") + Feature("sex", "") +
                 Feature("year", "int64_list { value: 1 value: 2 }")}),
      LooksLike(R"pb(
        feature {
          name: "mass"
          type: FLOAT
          presence { min_fraction: 1 min_count: 1 }
          shape { dim { size: 1 } }
        }
        feature {
          name: "sex"
          type: BYTES
          presence { min_count: 1 }
          value_count { min: 1 max: 1 }
          domain: "sex"
        }
        feature {
          name: "year"
          type: INT
          presence { min_fraction: 1 min_count: 1 }
          value_count { min: 1 }
        }
        string_domain { name: "sex" value: "male" }
      )pb"));
}

TEST(SchemaInferenceTest, WhatSaysYesOrNoIsABool) {
  EXPECT_THAT(Infer({Feature("i", "int64_list { value: 0 }") +
                         Feature("s", "bytes_list { value: 'true' }") +
                         Feature("n", "bytes_list { value: '17' }"),
                     Feature("i", "int64_list { value: 1 }") +
                         Feature("s", "bytes_list { value: 'false' }") +
                         Feature("n", "bytes_list { value: '-3' }")}),
              LooksLike(R"pb(
                feature {
                  name: "i"
                  type: INT
                  presence { min_fraction: 1 min_count: 1 }
                  shape { dim { size: 1 } }
                  bool_domain {}
                }
                feature {
                  name: "n"
                  type: BYTES
                  presence { min_fraction: 1 min_count: 1 }
                  shape { dim { size: 1 } }
                  int_domain {}
                }
                feature {
                  name: "s"
                  type: BYTES
                  presence { min_fraction: 1 min_count: 1 }
                  shape { dim { size: 1 } }
                  bool_domain { true_value: "true" false_value: "false" }
                }
              )pb"));
}

TEST(SchemaInferenceTest, SplitsAreTakenTogether) {
  const auto train =
      StatisticsOf({Feature("s", "bytes_list { value: 'b' }") +
                    Feature("x", "float_list { value: 1 value: 2 }")});
  const auto eval = StatisticsOf({Feature("s", "bytes_list { value: 'a' }")});
  RK_ASSERT_OK_AND_ASSIGN(const tfmd::Schema schema,
                          InferSchema({train, eval}));
  EXPECT_THAT(schema, LooksLike(R"pb(
                feature {
                  name: "s"
                  type: BYTES
                  presence { min_fraction: 1 min_count: 1 }
                  shape { dim { size: 1 } }
                  domain: "s"
                }
                feature {
                  name: "x"
                  type: FLOAT
                  presence { min_count: 1 }
                  value_count { min: 2 max: 2 }
                }
                string_domain { name: "s" value: "a" value: "b" }
              )pb"));
}

TEST(SchemaInferenceTest, WithoutShapesTheNumberOfValuesStays) {
  SchemaInferenceOptions options;
  options.infer_feature_shape = false;
  RK_ASSERT_OK_AND_ASSIGN(
      const tfmd::Schema schema,
      InferSchema({StatisticsOf({Feature("x", "float_list { value: 1 }")})},
                  options));
  EXPECT_FALSE(schema.feature(0).has_shape());
  EXPECT_EQ(schema.feature(0).value_count().max(), 1);
}

TEST(SchemaInferenceTest, ManyDistinctStringsGetNoDomain) {
  std::vector<std::string> examples;
  for (int i = 0; i <= 100; ++i) {
    examples.push_back(
        Feature("id", "bytes_list { value: 'v" + std::to_string(i) + "' }"));
  }
  EXPECT_THAT(Infer(examples).string_domain(), IsEmpty());
  examples.pop_back();
  EXPECT_EQ(Infer(examples).string_domain(0).value_size(), 100);
}

TEST(SchemaInferenceTest, BytesThatAreNoTextGetNoDomain) {
  const tfmd::Schema schema =
      Infer({Feature("image", "bytes_list { value: '\\377\\330' }")});
  EXPECT_FALSE(schema.feature(0).has_domain());
}

TEST(SchemaInferenceTest, AFeatureOfTwoTypesIsAnError) {
  const auto train = StatisticsOf({Feature("x", "int64_list { value: 1 }")});
  const auto eval = StatisticsOf({Feature("x", "float_list { value: 1 }")});
  EXPECT_THAT(InferSchema({train, eval}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("feature 'x' is INT in one split")));
}

TEST(SchemaInferenceTest, AFeatureThatNeverHasAValueIsLeftOut) {
  EXPECT_THAT(
      Infer({Feature("x", ""), Feature("y", "float_list {}")}).feature(),
      IsEmpty());
}

TEST(SchemaInferenceTest, NoExamplesGiveNoSchema) {
  EXPECT_THAT(InferSchema({StatisticsOf({})}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace rekindle
