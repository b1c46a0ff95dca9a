#include <limits>
#include <string>

#include "absl/status/status.h"
#include "component/contract/evaluation_input.h"
#include "component/contract/evaluation_output.h"
#include "component/contract/slices.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

EvaluationInput AnInput() {
  EvaluationInput input;
  input.models = {{"candidate", "/a"}, {"baseline", "/b"}};
  input.examples = {"/data/Split-eval/*"};
  input.schema_path = "/schema.pbtxt";
  input.label_key = "species";
  input.prediction_key = "scores";
  input.prediction_kind = PredictionKind::kLogits;
  input.slices = {{{"island"}, {{"sex", "MALE"}}}};
  input.output_path = "/out.json";
  return input;
}

EvaluationOutput AnOutput() {
  EvaluationOutput output;
  output.models = {{"candidate",
                    {"Adelie", "Gentoo"},
                    {{{}, {{"accuracy", 0.1}}},
                     {{{"island", std::string("Biscoe")},
                       {"mass", 0.5F},
                       {"year", int64_t{2008}}},
                      {{"auc", std::numeric_limits<double>::infinity()}}}}}};
  output.environment = {{"tensorflow_version", "2.21.0"}};
  return output;
}

TEST(EvaluationContractTest, WhatIsWrittenIsRead) {
  TempDir dir;
  ASSERT_TRUE(WriteEvaluationInput(AnInput(), dir / "in.json").ok());
  const auto input = ReadEvaluationInput(dir / "in.json");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(*input, AnInput());

  ASSERT_TRUE(WriteEvaluationOutput(AnOutput(), dir / "out.json").ok());
  const auto output = ReadEvaluationOutput(dir / "out.json");
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(*output, AnOutput());
}

TEST(EvaluationContractTest, AnErrorIsAnAnswerInOneLine) {
  EvaluationOutput failed;
  absl::Status error = absl::NotFoundError("no model\n\t [[node]]");
  error.SetPayload(kReasonPayload, absl::Cord("INPUT_UNUSABLE"));
  failed.error = MakeExecutorError(error);
  EXPECT_EQ(failed.error->message, "no model   [[node]]");
  const auto read = EvaluationOutputFromJson(ToJson(failed));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, failed);
}

TEST(EvaluationContractTest, EveryKeyIsWantedAndNoOther) {
  const nlohmann::json input = ToJson(AnInput());
  for (const auto& [key, value] : input.items()) {
    nlohmann::json without = input;
    without.erase(key);
    const auto read = EvaluationInputFromJson(without);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(key));
  }
  nlohmann::json more = input;
  more["color"] = "blue";
  EXPECT_THAT(std::string(EvaluationInputFromJson(more).status().message()),
              HasSubstr("color"));
}

TEST(EvaluationContractTest, AValueOfASliceIsOfOneKind) {
  for (const char* text :
       {R"({"feature": "a"})", R"({"feature": "a", "bytes": 1})",
        R"({"feature": "a", "bytes": "x", "int64": 1})",
        R"({"feature": "a", "int64": 0.5})"}) {
    SliceKey key;
    const absl::Status parsed =
        ParseSliceValue(nlohmann::json::parse(text), &key);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed)) << text;
  }
}

TEST(SlicesTest, ASliceIsOfTheSpecThatNamesItsFeatures) {
  const SliceKey key = {{"island", std::string("Biscoe")},
                        {"year", int64_t{2008}}};
  EXPECT_TRUE(IsSliceOf({{"island", "year"}, {}}, key));
  EXPECT_TRUE(IsSliceOf({{"island"}, {{"year", "2008"}}}, key));
  EXPECT_FALSE(IsSliceOf({{"island"}, {{"year", "2009"}}}, key));
  EXPECT_FALSE(IsSliceOf({{"island"}, {}}, key));
  EXPECT_FALSE(IsSliceOf({}, key));
  EXPECT_TRUE(IsSliceOf({}, {}));
}

}  // namespace
}  // namespace rekindle
