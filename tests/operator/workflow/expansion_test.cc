#include "operator/workflow/expansion.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Step StepOf(const std::string& yaml) {
  return *DecodeStep(ParseYaml("name: s\n" + yaml, "s.yaml")->front());
}

std::vector<std::string> Names(const std::string& yaml) {
  const auto expanded = ExpandStep(StepOf(yaml));
  if (!expanded.ok()) return {std::string(expanded.status().message())};
  std::vector<std::string> names;
  for (const ExpandedStep& one : *expanded) names.push_back(one.name);
  return names;
}

TEST(ExpansionTest, ItemsHaveTheNamesArgoGivesThem) {
  EXPECT_THAT(Names("withItems: [hello, 2, true]\n"),
              ElementsAre("s(0:hello)", "s(1:2)", "s(2:true)"));
  EXPECT_THAT(Names("withItems: [{os: linux, arch: arm}]\n"),
              ElementsAre("s(0:arch:arm,os:linux)"));
  EXPECT_THAT(Names("withParam: '[\"a\", 1.5]'\n"),
              ElementsAre("s(0:a)", "s(1:1.5)"));
  EXPECT_THAT(Names("withSequence: {count: 2, format: 'host%03d'}\n"),
              ElementsAre("s(0:host000)", "s(1:host001)"));
  EXPECT_THAT(Names("withSequence: {start: '3', end: 1}\n"),
              ElementsAre("s(0:3)", "s(1:2)", "s(2:1)"));
  EXPECT_THAT(Names("withParam: '[]'\n"), IsEmpty());
}

TEST(ExpansionTest, KeysOfAnItemAreInItsScope) {
  const auto expanded =
      ExpandStep(StepOf("withItems: [{os: linux, bits: 64}]\n"));
  EXPECT_EQ((*expanded)[0].item.at("item.bits"), Value("64"));
  EXPECT_EQ((*expanded)[0].item.at("item"),
            Value(R"({"bits":64,"os":"linux"})"));
}

TEST(ExpansionTest, RefusesWhatIsNoList) {
  EXPECT_THAT(Names("withParam: '{}'\n"),
              ElementsAre(HasSubstr("must be a JSON list, not '{}'")));
  EXPECT_THAT(Names("withSequence: {start: 1}\n"),
              ElementsAre(HasSubstr("needs a count or an end")));
  EXPECT_THAT(Names("withSequence: {count: many}\n"),
              ElementsAre(HasSubstr("must be a whole number, not 'many'")));
  EXPECT_THAT(Names("withSequence: {count: 2, format: '%s%n'}\n"),
              ElementsAre(HasSubstr("must have one number")));
  EXPECT_THAT(Names("withSequence: {count: 100000000}\n"),
              ElementsAre(HasSubstr("over 100000 items")));
}

TEST(ExpansionTest, ASequenceBeyondAllNumbersIsTooLong) {
  for (const char* bounds :
       {"{count: 9223372036854775807, start: 7}",
        "{start: -9223372036854775808, end: 9223372036854775807}"}) {
    EXPECT_THAT(Names(std::string("withSequence: ") + bounds),
                ElementsAre(HasSubstr("over 100000 items")));
  }
}

TEST(ExpansionTest, AParameterIsNestedNoDeeperThanWeRecurse) {
  EXPECT_THAT(Names("withParam: '" + std::string(90'000, '[') +
                    std::string(90'000, ']') + "'"),
              ElementsAre(HasSubstr("nested over 100 deep")));
}

}  // namespace
}  // namespace rekindle::argo
