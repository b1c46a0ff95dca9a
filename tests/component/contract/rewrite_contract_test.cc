#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/contract/rewrite_output.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

RewriteOutput AnOutput() {
  RewriteOutput output;
  output.rewritten = {
      {"tflite", "Format-TFLite", {"raw"}, 5512, 0.1, {"Erf"}, "2.21.0"},
      {"saved_model", "Format-SavedModel", {"a", "b"}, 1, {}, {}, "2.21.0"}};
  return output;
}

TEST(RewriteContractTest, WhatIsWrittenIsRead) {
  const TempDir dir;
  RewriteOutput failed;
  failed.error = {9, "no signature 'a'", "REWRITE_FAILED"};
  for (const RewriteOutput& output : {AnOutput(), failed}) {
    const std::string file = dir.Write("answer", ToJson(output).dump());
    RK_ASSERT_OK_AND_ASSIGN(const RewriteOutput read, ReadRewriteOutput(file));
    EXPECT_EQ(read, output);
  }
}

TEST(RewriteContractTest, EveryKeyIsWantedAndNoOther) {
  const nlohmann::json model = ToJson(AnOutput())["rewritten"][0];
  const auto read = [](const nlohmann::json& changed) {
    return RewriteOutputFromJson(
        {{"error", nullptr}, {"rewritten", nlohmann::json::array({changed})}});
  };
  for (const auto& [key, value] : model.items()) {
    nlohmann::json changed = model;
    changed[key] = nlohmann::json::object();
    EXPECT_THAT(read(changed),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(key)));
  }
  nlohmann::json more = model;
  more["color"] = "blue";
  EXPECT_THAT(read(more),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("color")));
}

}  // namespace
}  // namespace rekindle
