#include "base/yaml_limits.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

std::string Excess(const std::string& text) {
  const auto found = FindYamlExcess(text);
  return found.has_value()
             ? absl::StrCat(found->line, ":", found->column, ": ", found->what)
             : "";
}

std::string Repeated(const std::string& part, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(YamlLimitsTest, OrdinaryTextsHaveNone) {
  EXPECT_EQ(Excess(""), "");
  EXPECT_EQ(Excess("a: &x [1, {b: c}]\nd: [*x, *x]\n---\n---\n- e\n"), "");
  EXPECT_EQ(Excess("not: [yaml"), "");
  EXPECT_EQ(Excess(Repeated("- a\n", 100'000)), "");
}

TEST(YamlLimitsTest, AliasesOfAliasesAreCountedAsWrittenOut) {
  std::string text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int i = 1; i < 12; ++i) {
    absl::StrAppend(&text, "a", i, ": &a", i, " [",
                    Repeated(absl::StrCat("*a", i - 1, ","), 9), "]\n");
  }
  EXPECT_THAT(Excess(text), HasSubstr("too large once its aliases"));
}

TEST(YamlLimitsTest, TheTextOfAliasesIsCounted) {
  EXPECT_THAT(Excess(absl::StrCat("a: &a ", std::string(100'000, 'x'), "\nb: [",
                                  Repeated("*a,", 100), "]\n")),
              HasSubstr("bytes of text"));
}

// Every anchor makes a reader keep another copy of what is below it.
TEST(YamlLimitsTest, NestedAnchorsAreCountedAtEachLevel) {
  std::string text;
  for (int i = 0; i < 90; ++i) absl::StrAppend(&text, "&a", i, " [");
  absl::StrAppend(&text, Repeated("1,", 10'000), Repeated("]", 90));
  EXPECT_THAT(Excess(text), HasSubstr("too large"));
}

TEST(YamlLimitsTest, DepthIsCountedThroughAliases) {
  EXPECT_EQ(Excess(absl::StrCat(Repeated("[", 99), "1", Repeated("]", 99))),
            "");
  EXPECT_THAT(Excess(absl::StrCat(Repeated("[", 100), "1", Repeated("]", 100))),
              HasSubstr("nested over 100 deep"));
  std::string text;
  for (int i = 0; i < 3; ++i) {
    absl::StrAppend(&text, "a", i, ": &a", i, " ", Repeated("[", 40),
                    i == 0 ? "1" : absl::StrCat("*a", i - 1), Repeated("]", 40),
                    "\n");
  }
  EXPECT_THAT(Excess(text), HasSubstr("3:49: values are nested"));
}

TEST(YamlLimitsTest, AnAliasOfWhatIsAroundItIsNone) {
  EXPECT_THAT(Excess("a: &x [*x]"), HasSubstr("1:8: an alias inside what"));
}

// The parser finds empty documents before it for ever.
TEST(YamlLimitsTest, ACommaInNoListEnds) {
  EXPECT_THAT(Excess("a: 1\n---\n, b"), HasSubstr("3:1: a value cannot begin"));
  EXPECT_THAT(Excess("{},"), HasSubstr("a value cannot begin here"));
}

// The parser would take 200 bytes of memory for each of them.
TEST(YamlLimitsTest, BracketsAreCountedBeforeTheyAreParsed) {
  EXPECT_THAT(Excess("a\n" + std::string(200'001, '[')),
              HasSubstr("2:1: the document has over 200000 of the characters"));
  const std::string half = Repeated("- [1]\n", 60'000);
  EXPECT_THAT(Excess(absl::StrCat(half, half)), HasSubstr("[ ] { }"));
  EXPECT_THAT(Excess(absl::StrCat("- [1]\n---\n", Repeated("- []\n", 90'000))),
              "");
}

// The parser would take them for UTF-16, and give strings that are no UTF-8.
TEST(YamlLimitsTest, ANulByteIsNoText) {
  EXPECT_THAT(Excess(std::string("a\n\0\xd8", 4)),
              HasSubstr("2:1: the text has a NUL byte"));
}

TEST(YamlLimitsTest, ATextHasAnEnd) {
  EXPECT_THAT(Excess(std::string(kMostYamlBytes + 1, ' ')),
              HasSubstr("4194305 bytes, over 4194304"));
}

}  // namespace
}  // namespace rekindle
