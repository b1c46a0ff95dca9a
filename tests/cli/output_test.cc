#include "cli/output.h"

#include <string>

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace rekindle {
namespace {

using nlohmann::json;

TEST(OutputTest, YamlIsPlainWherePlainIsUnambiguous) {
  EXPECT_EQ(ToYamlText({{"id", 7},
                        {"type", "Model"},
                        {"ratio", 0.1},
                        {"live", true},
                        {"path", {"model", 0}},
                        {"properties", json::object()}}),
            "id: 7\n"
            "live: true\n"
            "path:\n"
            "  - model\n"
            "  - 0\n"
            "properties: {}\n"
            "ratio: 0.1\n"
            "type: Model\n");
}

class YamlStringTest : public ::testing::TestWithParam<std::string> {};

TEST_P(YamlStringTest, AStringStaysAString) {
  const YAML::Node read = YAML::Load(ToYamlText({{"value", GetParam()}}));
  EXPECT_EQ(read["value"].as<std::string>(), GetParam());
  // yaml-cpp marks what was quoted, and what is plain and not a string by its
  // resolved look.
  const bool quoted = read["value"].Tag() == "!";
  bool boolean = false;
  double number = 0;
  EXPECT_TRUE(quoted ||
              (!YAML::convert<bool>::decode(read["value"], boolean) &&
               !YAML::convert<double>::decode(read["value"], number) &&
               !read["value"].IsNull()));
}

INSTANTIATE_TEST_SUITE_P(Strings, YamlStringTest,
                         ::testing::Values("", "null", "~", "True", "no", "12",
                                           "-1.5e3", ".inf", "0x1F",
                                           "2026-11-16", "a: b", "# x", "- x",
                                           "é\n日", "'", "\"", "plain",
                                           " spaced ", "{}", "[", "@x", "%"));

TEST(OutputTest, BytesThatAreNotUtf8AreShownAsReplacementCharacters) {
  EXPECT_EQ(ToJsonText("a\xFF"), "\"a\uFFFD\"\n");
}

TEST(OutputTest, ATableHasOneFieldALineWithDottedNames) {
  EXPECT_EQ(ToFieldTable({{"id", 7}, {"properties", {{"span", 3}}}}),
            "id               7\n"
            "properties.span  3\n");
}

}  // namespace
}  // namespace rekindle
