#include "component/contract/component_output.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const auto output = ComponentOutputFromJson(
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false));
  return std::string(output.status().message());
}

TEST(ComponentOutputTest, EveryPartMayBeAbsent) {
  const auto output = ComponentOutputFromJson(nlohmann::json::object());
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(output->error.empty());
  EXPECT_TRUE(output->metrics.empty());
  EXPECT_TRUE(output->outputs.empty());
}

TEST(ComponentOutputTest, SoMayTheFile) {
  TempDir dir;
  EXPECT_TRUE(ReadComponentOutput(dir / "none.json").ok());
  EXPECT_EQ(ReadComponentOutput(dir.Write("half.json", "{")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ComponentOutputTest, ReadsMetricsAndProperties) {
  const auto output = ComponentOutputFromJson(
      {{"metrics", {{"loss", 0.1}}},
       {"outputs", {{"report", {{"custom_properties", {{"rows", 3}}}}}}},
       {"execution_properties", {{"library", "x"}}}});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->metrics.at("loss"), 0.1);
  EXPECT_EQ(output->outputs.at("report").custom_properties["rows"], 3);
  EXPECT_EQ(output->execution_properties["library"], "x");
}

TEST(ComponentOutputTest, MistakesAreNamed) {
  EXPECT_THAT(ErrorOf(R"({"metric": {}})"), HasSubstr("unknown key 'metric'"));
  EXPECT_THAT(ErrorOf(R"({"metrics": {"a": "b"}})"), HasSubstr("metrics"));
  EXPECT_THAT(ErrorOf(R"({"error": 3})"), HasSubstr("'error' is number"));
  EXPECT_THAT(ErrorOf(R"({"outputs": {"r": {"property": {}}}})"),
              HasSubstr("unknown key 'property'"));
  EXPECT_THAT(ErrorOf(R"({"execution_properties": {"a": [1]}})"),
              HasSubstr("'a' is array"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("must be an object"));
}

}  // namespace
}  // namespace rekindle
