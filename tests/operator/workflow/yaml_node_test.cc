#include "operator/workflow/yaml_node.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

nlohmann::json Json(const std::string& text) {
  const auto documents = ParseYaml(text, "a.yaml");
  EXPECT_TRUE(documents.ok()) << documents.status();
  return documents.ok() && !documents->empty() ? ToJson(documents->front())
                                               : nlohmann::json();
}

std::string Problem(const std::string& text) {
  return std::string(ParseYaml(text, "a.yaml").status().message());
}

TEST(YamlTest, ScalarsAreWhatKubernetesTakesThemFor) {
  EXPECT_EQ(Json("[1, 0x10, 010, 1_000, 1.0, 1e3, 1.5, -0]"),
            nlohmann::json::parse("[1, 16, 8, 1000, 1, 1000, 1.5, 0]"));
  EXPECT_EQ(Json("[yes, No, on, y, true, FALSE]"),
            nlohmann::json::parse("[true, false, true, true, true, false]"));
  EXPECT_EQ(Json("[~, null, '', 'yes', \"1\", 1.2.3, 2024-01-01]"),
            nlohmann::json::parse(
                R"([null, null, "", "yes", "1", "1.2.3", "2024-01-01"])"));
}

TEST(YamlTest, AliasesAndMergesAreWrittenOut) {
  EXPECT_EQ(Json("base: &b {x: 1, z: 2}\nuse: {<<: *b, z: 3}\nlist: [*b]"),
            nlohmann::json::parse(
                R"({"base": {"x": 1, "z": 2}, "use": {"z": 3, "x": 1},
                    "list": [{"x": 1, "z": 2}]})"));
}

TEST(YamlTest, EveryValueKnowsItsPlace) {
  const auto documents = ParseYaml("a:\n  - b: c\n---\nd: e\n", "a.yaml");
  ASSERT_EQ(documents->size(), 2);
  const YamlNode& value = *(*documents)[0].Find("a")->items[0].Find("b");
  EXPECT_EQ(value.position.ToString(), "a.yaml:2:8");
  EXPECT_EQ((*documents)[1].Find("d")->position.ToString(), "a.yaml:4:4");
}

TEST(YamlTest, MistakesHaveTheirPlace) {
  EXPECT_THAT(Problem("a: [1"), HasSubstr("a.yaml:"));
  EXPECT_EQ(Problem("a: 1\nb: 2\na: 3\n"),
            "a.yaml:3:1: the key 'a' is already there, in line 1");
  EXPECT_THAT(Problem("a: *nowhere\n"), HasSubstr("not YAML"));
  EXPECT_THAT(Problem("a: &x [*x]\n"), HasSubstr("inside what it stands for"));
  EXPECT_THAT(Problem("[a]: 1\n"), HasSubstr("a key must be a string"));
  EXPECT_EQ(Problem("a: 1\nb: \xff\n"), "a.yaml:2:1: the text is not UTF-8");
  EXPECT_THAT(Problem("a: \"\\N\"\n"),
              HasSubstr("a.yaml:1:4: the value is not"));
  EXPECT_THAT(Problem("\"\\_\": 1\n"),
              HasSubstr("a.yaml:1:1: the value is not"));
}

TEST(YamlTest, AMapOfManyKeysIsReadKeyByKey) {
  std::string text;
  for (int i = 0; i < 90'000; ++i) absl::StrAppend(&text, "k", i, ": 1\n");
  const auto documents = ParseYaml(text, "a.yaml");
  ASSERT_TRUE(documents.ok()) << documents.status();
  EXPECT_EQ(documents->front().fields.size(), 90'000);
  EXPECT_EQ(Problem(absl::StrCat(text, "k7: 2\n")),
            "a.yaml:90001:1: the key 'k7' is already there, in line 8");
}

TEST(YamlTest, AliasesOfAliasesDoNotFillTheMemory) {
  std::string text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int i = 1; i < 12; ++i) {
    absl::StrAppend(&text, "a", i, ": &a", i, " [");
    for (int j = 0; j < 9; ++j) absl::StrAppend(&text, "*a", i - 1, ",");
    absl::StrAppend(&text, "]\n");
  }
  EXPECT_THAT(Problem(text), HasSubstr("too large once its aliases"));
}

}  // namespace
}  // namespace rekindle::argo
