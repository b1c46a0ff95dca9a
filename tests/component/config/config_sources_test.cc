#include "component/config/config_sources.h"

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

struct GoodOverride {
  std::string name;
  std::string text;
  std::string json;
};

void PrintTo(const GoodOverride& override, std::ostream* out) {
  *out << override.text;
}

class GoodOverrideTest : public ::testing::TestWithParam<GoodOverride> {};

TEST_P(GoodOverrideTest, IsRead) {
  const auto layer = ParseOverride(GetParam().text);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(layer->values, ConfigJson::parse(GetParam().json));
  EXPECT_EQ(layer->source, "params_override");
}

INSTANTIATE_TEST_SUITE_P(
    ParseOverride, GoodOverrideTest,
    ::testing::ValuesIn(std::vector<GoodOverride>{
        {"One", "a=1", R"({"a": 1})"},
        {"DottedPaths", "a.b=1,a.c.d='x',e=\"y\"",
         R"({"a": {"b": 1, "c": {"d": "x"}}, "e": "y"})"},
        {"Types", "a=1e-3,b=true,c=null,d=x,e='1',f=,g=-2",
         R"({"a": 0.001, "b": true, "c": null, "d": "x", "e": "1", "f": null,
             "g": -2})"},
        {"Spaces", " a.b = 1 , c = x y ", R"({"a": {"b": 1}, "c": "x y"})"},
        {"CommasInQuotes", "a='x,y',b=\"p,q\"", R"({"a": "x,y", "b": "p,q"})"},
        {"EqualsInAValue", "a=x=y", R"({"a": "x=y"})"},
        {"Lists", "a=[1, 2],b=[],c=[x, 'y,z']",
         R"({"a": [1, 2], "b": [], "c": ["x", "y,z"]})"},
        {"Objects", "a={b: 1, c: [2]},a.d=3",
         R"({"a": {"b": 1, "c": [2], "d": 3}})"},
        {"Elements", "a.b[1]=7,c=2,a.b[0]=5",
         R"({"c": 2, "a": {"b": [5, 7]}})"},
        {"ManyElements",
         "a[0]=0,a[1]=1,a[2]=2,a[3]=3,a[4]=4,a[5]=5,a[6]=6,a[7]=7,a[8]=8,"
         "a[9]=9,a[10]=10",
         R"({"a": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})"},
        {"Paths", "a=gs://b/c*.rec,d=/e/f-*,g=*.tfrecord",
         R"({"a": "gs://b/c*.rec", "d": "/e/f-*", "g": "*.tfrecord"})"},
        {"LaterWins", "a=1,a=2", R"({"a": 2})"},
        {"Yaml", "a: {b: 1}\nc: [2, 3]", R"({"a": {"b": 1}, "c": [2, 3]})"},
        {"Json", R"({"a": {"b": "x=y"}})", R"({"a": {"b": "x=y"}})"},
        {"Nothing", "", "{}"},
    }),
    [](const auto& test) { return test.param.name; });

struct BadOverride {
  std::string name;
  std::string text;
  std::string message;
};

class BadOverrideTest : public ::testing::TestWithParam<BadOverride> {};

TEST_P(BadOverrideTest, IsRefused) {
  const absl::Status status = ParseOverride(GetParam().text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(status.message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    ParseOverride, BadOverrideTest,
    ::testing::ValuesIn(std::vector<BadOverride>{
        {"NoValue", "a=1,b", "params_override: 'b', expected name=value"},
        {"NoName", "a=1,=2", "params_override: '=2', expected name=value"},
        {"EmptyPart", "a=1,,b=2", "params_override: '', expected name=value"},
        {"BadIndex", "a=1,b[x]=2", "'b[x]=2', expected name=value"},
        {"NegativeIndex", "a=1,b[-1]=2", "'b[-1]=2', expected name=value"},
        {"MissingElement", "a[0]=1,a[2]=3", "a[1] is missing"},
        {"NoFirstElement", "a[1]=3", "a[0] is missing; a list needs all"},
        {"OpenList", "a=[1,2", "a is [1,2, expected a value of YAML"},
        {"OpenQuote", "a='x", "a is 'x, expected a value of YAML"},
        {"ANumber", "12", "is 12, expected name=value,name=value, YAML, or"},
        {"AList", "[1, 2]", "is [1, 2], expected name=value"},
        {"BrokenYaml", "{a: 1", "params_override:1: this is not YAML"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ParseOverrideTest, ReadsTheFileThatItNames) {
  TempDir folder;
  const std::string path = folder.Write("changes.yaml", "a:\n  b: 1\n");
  const auto layer = ParseOverride(path);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(layer->source, path);
  EXPECT_EQ(layer->values, ConfigJson::parse(R"({"a": {"b": 1}})"));
  EXPECT_EQ(layer->lines.at("a.b"), 2);
}

TEST(ParseOverrideTest, AFileThatIsNotThereIsNotFound) {
  const absl::Status status = ParseOverride("/no/such.yaml").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("/no/such.yaml"));
}

TEST(ReadConfigFileTest, AnEmptyFileChangesNothing) {
  TempDir folder;
  const auto layer = ReadConfigFile(folder.Write("empty.yaml", "# later\n"));
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ(layer->values, ConfigJson::object());
}

TEST(ReadConfigFileTest, RefusesWhatIsNoConfiguration) {
  TempDir folder;
  const std::string path = folder.Write("list.yaml", "[1, 2]");
  const absl::Status status = ReadConfigFile(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              HasSubstr("list.yaml is [1,2], expected names and values"));
}

}  // namespace
}  // namespace rekindle
