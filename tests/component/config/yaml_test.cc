#include "component/config/yaml.h"

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

ConfigJson Values(const std::string& text) {
  const auto layer = ParseYaml("x.yaml", text);
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? layer->values : ConfigJson();
}

struct Scalar {
  std::string text;
  ConfigJson value;
};

void PrintTo(const Scalar& scalar, std::ostream* out) { *out << scalar.text; }

class ScalarTest : public ::testing::TestWithParam<Scalar> {};

TEST_P(ScalarTest, HasTheTypeOfTheCoreSchema) {
  const ConfigJson value = Values(absl::StrCat("v: ", GetParam().text))["v"];
  EXPECT_EQ(value, GetParam().value);
  EXPECT_EQ(value.is_number_float(), GetParam().value.is_number_float());
}

INSTANTIATE_TEST_SUITE_P(Yaml, ScalarTest,
                         ::testing::ValuesIn(std::vector<Scalar>{
                             {"", nullptr},
                             {"~", nullptr},
                             {"null", nullptr},
                             {"NULL", nullptr},
                             {"nUll", "nUll"},
                             {"true", true},
                             {"True", true},
                             {"FALSE", false},
                             {"yes", "yes"},
                             {"off", "off"},
                             {"0", 0},
                             {"-12", -12},
                             {"+12", 12},
                             {"007", 7},
                             {"0o17", 15},
                             {"0x1F", 31},
                             {"0x", "0x"},
                             {"0xZZ", "0xZZ"},
                             {"9223372036854775807", 9223372036854775807},
                             {"9223372036854775808", 9223372036854775808.0},
                             {"1e-3", 0.001},
                             {"1E5", 100000.0},
                             {"1.", 1.0},
                             {".5", 0.5},
                             {"-1.5e+2", -150.0},
                             {"1e", "1e"},
                             {".", "."},
                             {"1.2.3", "1.2.3"},
                             {"1_000", "1_000"},
                             {"2024-01-01", "2024-01-01"},
                             {"'1'", "1"},
                             {"\"true\"", "true"},
                             {"!!str 1", "1"},
                             {"gs://bucket/x", "gs://bucket/x"},
                             {"a b", "a b"},
                             {"[1, a, {b: 2.0}]",
                              ConfigJson::parse(R"([1, "a", {"b": 2.0}])")},
                         }));

TEST(ParseYamlTest, KnowsTheLineOfEachName) {
  const auto layer = ParseYaml("x.yaml", "a:\n  b: 1\n\n  c:\n  - 2\n  - 3\n");
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(layer->lines.at("a"), 1);
  EXPECT_EQ(layer->lines.at("a.b"), 2);
  EXPECT_EQ(layer->lines.at("a.c"), 4);
  EXPECT_EQ(layer->lines.at("a.c[1]"), 6);
}

TEST(ParseYamlTest, ReadsJsonAndEmptyDocuments) {
  EXPECT_EQ(Values("{\n\t\"a\": [1e-3,\n\t\"\\ud83d\\ude00\"]}"),
            ConfigJson::parse("{\"a\": [0.001, \"\\ud83d\\ude00\"]}"));
  EXPECT_EQ(Values(""), nullptr);
  EXPECT_EQ(Values("# nothing\n"), nullptr);
}

TEST(ParseYamlTest, FollowsAliases) {
  EXPECT_EQ(Values("a: &x [1, 2]\nb: *x"),
            ConfigJson::parse(R"({"a": [1, 2], "b": [1, 2]})"));
}

struct BadYaml {
  std::string name;
  std::string text;
  std::string message;
};

class BadYamlTest : public ::testing::TestWithParam<BadYaml> {};

TEST_P(BadYamlTest, IsRefusedWithItsLine) {
  const auto layer = ParseYaml("x.yaml", GetParam().text);
  EXPECT_EQ(layer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(layer.status().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, BadYamlTest,
    ::testing::ValuesIn(std::vector<BadYaml>{
        {"NotClosed", "a: 1\nb: [1, 2", "x.yaml:2: this is not YAML"},
        {"BadIndent", "a: 1\n  b: 2", "x.yaml:2: this is not YAML"},
        {"NameTwice", "a: 1\nb: 2\na: 3", "x.yaml:3: 'a' is there twice"},
        {"TwoDocuments", "a: 1\n---\nb: 2", "x.yaml: has more than one YAML"},
        {"ListAsName", "[1, 2]: 3", "x.yaml:1: a name must be a plain word"},
        {"ForeignTag", "a: !!binary aGk=", "x.yaml:1: the tag tag:yaml.org"},
        {"AliasOfItself", "a: &x [*x]",
         "x.yaml:1: an alias inside what it stands for"},
        {"UnknownAlias", "a: *x", "x.yaml:1: this is not YAML"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ParseYamlTest, AnAliasBombEnds) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::vector<std::string> ten(10, absl::StrCat("*a", i - 1));
    absl::StrAppend(&text, "a", i, ": &a", i, " [", absl::StrJoin(ten, ", "),
                    "]\n");
  }
  EXPECT_THAT(ParseYaml("x.yaml", text).status().message(),
              HasSubstr("too large once its aliases"));
}

TEST(ParseYamlTest, PathsOfLongNamesEnd) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    absl::StrAppend(&text, "{", std::string(1'000, 'x'), ": ");
  }
  absl::StrAppend(&text, "[");
  for (int i = 0; i < 1'000; ++i) absl::StrAppend(&text, "1,");
  absl::StrAppend(&text, "]", std::string(50, '}'));
  EXPECT_THAT(ParseYaml("x.yaml", text).status().message(),
              HasSubstr("names are far too long"));
}

TEST(ParseYamlTest, JsonThatYamlIsNotIsNestedNoDeeper) {
  EXPECT_THAT(ParseYaml("x.yaml", absl::StrCat("[\t", std::string(5'000, '['),
                                               std::string(5'001, ']')))
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
}

TEST(WriteYamlTest, WritesBlocksWithListsInFlowStyle) {
  const ConfigJson values = ConfigJson::parse(R"({
    "task": {"paths": ["a/b-1.rec", "c d"], "none": [], "empty": {}},
    "rate": 1e-7, "one": 1.0, "big": 1e30, "count": 3, "no": "no",
    "number": "12", "nothing": null, "flag": true, "text": ""})");
  EXPECT_EQ(WriteYaml(values), R"(task:
  paths: [a/b-1.rec, "c d"]
  none: []
  empty: {}
rate: 1.0e-07
one: 1.0
big: 1.0e+30
count: 3
"no": "no"
number: "12"
nothing: null
flag: true
text: ""
)");
}

}  // namespace
}  // namespace rekindle
