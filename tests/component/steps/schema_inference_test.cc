#include "component/steps/schema_inference.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

std::string Record(const std::string& features) {
  return Parse<tensorflow::Example>("features { " + features + " }")
      .SerializeAsString();
}

TEST(SchemaInferenceTest, InfersTypesPresenceShapesAndDomains) {
  SchemaInference inference;
  ASSERT_THAT(inference.Add(Record(
                  R"pb(feature {
                         key: "mass"
                         value { float_list { value: 1.5 } }
                       }
                       feature {
                         key: "sex"
                         value { bytes_list { value: "male" } }
                       }
                       feature {
                         key: "year"
                         value { int64_list { value: 2007 } }
                       })pb")),
              IsOk());
  ASSERT_THAT(inference.Add(Record(
                  R"pb(feature {
                         key: "mass"
                         value { float_list { value: 2 } }
                       }
                       feature {
                         key: "sex"
                         value {}
                       }
                       feature {
                         key: "year"
                         value { int64_list { value: 1 value: 2 } }
                       })pb")),
              IsOk());
  EXPECT_THAT(inference.Infer(), LooksLike(R"pb(
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
                  value_count { min: 1 max: 2 }
                }
                string_domain { name: "sex" value: "male" }
              )pb"));
}

TEST(SchemaInferenceTest, ManyDistinctStringsGetNoDomain) {
  SchemaInference inference;
  for (size_t i = 0; i <= SchemaInference::kMaxDomainValues; ++i) {
    ASSERT_THAT(inference.Add(Record(
                    "feature { key: 'id' value { bytes_list { value: 'v" +
                    std::to_string(i) + "' } } }")),
                IsOk());
  }
  EXPECT_TRUE(inference.Infer().string_domain().empty());
  EXPECT_FALSE(inference.Infer().feature(0).has_domain());
}

TEST(SchemaInferenceTest, AFeatureOfTwoTypesIsAnError) {
  SchemaInference inference;
  ASSERT_THAT(inference.Add(Record(
                  "feature { key: 'x' value { int64_list { value: 1 } } }")),
              IsOk());
  EXPECT_THAT(inference.Add(Record(
                  "feature { key: 'x' value { float_list { value: 1 } } }")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("feature 'x' is INT in some examples")));
}

TEST(SchemaInferenceTest, AFeatureThatNeverHasAValueIsLeftOut) {
  SchemaInference inference;
  ASSERT_THAT(inference.Add(Record("feature { key: 'x' value {} }")), IsOk());
  EXPECT_TRUE(inference.Infer().feature().empty());
}

TEST(SchemaInferenceTest, BytesThatAreNoExampleAreDataLoss) {
  SchemaInference inference;
  EXPECT_THAT(inference.Add("\x0a\xff"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace rekindle
