#include "operator/workflow/templating.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Scope& Names() {
  static const auto* const kScope = new Scope{
      {"inputs.parameters.n", Value("7")},
      {"inputs.parameters.text", Value("a \"quoted\"\nline")},
      {"inputs.parameters.json", Value(R"({"a": [1, 2]})")},
      {"item", Value("n")},
      {"item.key", Value("k")},
      {"tasks.skipped.outputs.parameters.x", Value()},
      {"bad", Value(std::string("\x01", 1))},
  };
  return *kScope;
}

std::string Replace(const std::string& text,
                    const Unresolved& unresolved = Unresolved::Refuse()) {
  const absl::StatusOr<std::string> result =
      Substitute(text, Names(), unresolved);
  return result.ok() ? *result
                     : "error: " + std::string(result.status().message());
}

TEST(TemplatingTest, TagsBecomeTheirValues) {
  EXPECT_EQ(Replace("n is {{inputs.parameters.n}}."), "n is 7.");
  EXPECT_EQ(Replace("{{ inputs.parameters.n }}{{item}}"), "7n");
  EXPECT_EQ(Replace("{{inputs.parameters.text}}"), "a \"quoted\"\nline");
  EXPECT_EQ(Replace("no tag, { one }, }} and {{ no end"),
            "no tag, { one }, }} and {{ no end");
}

TEST(TemplatingTest, ExpressionsBecomeTheirValues) {
  EXPECT_EQ(Replace("{{=asInt(inputs.parameters.n) + 1}}"), "8");
  EXPECT_EQ(Replace("{{= inputs.parameters.text }}"), "a \"quoted\"\nline");
  EXPECT_EQ(Replace("{{=[1, 'a']}}"), R"([1,"a"])");
  EXPECT_EQ(Replace("{{=fromJSON(inputs.parameters.json).a[1]}}"), "2");
  EXPECT_EQ(Replace("{{=item.key}}"), "k");
  EXPECT_EQ(Replace("{{=tasks.skipped.outputs.parameters.x ?? 'none'}}"),
            "none");
}

TEST(TemplatingTest, NestedTagsTakeAPassEach) {
  const std::string once = Replace("{{inputs.parameters.{{item}}}}");
  EXPECT_EQ(once, "{{inputs.parameters.n}}");
  EXPECT_EQ(Replace(once), "7");
}

TEST(TemplatingTest, UnknownTagsStayOrAreRefused) {
  EXPECT_EQ(Replace("{{steps.a.id}} {{x}}", Unresolved::Keep()),
            "{{steps.a.id}} {{x}}");
  EXPECT_THAT(Replace("{{steps.a.id}}"), HasSubstr("error: {{steps.a.id}}"));
  const Unresolved below = Unresolved::RefuseBelow({"steps"});
  EXPECT_EQ(Replace("{{x}}{{stepsize}}", below), "{{x}}{{stepsize}}");
  EXPECT_THAT(Replace("{{steps.a.id}}", below), HasSubstr("error"));
  EXPECT_EQ(Replace("{{steps.a.outputs.artifacts.x}}", below),
            "{{steps.a.outputs.artifacts.x}}");
}

TEST(TemplatingTest, ExpressionsWaitForTheirNames) {
  EXPECT_EQ(Replace("{{=later + 1}}", Unresolved::Keep()), "{{=later + 1}}");
  EXPECT_EQ(Replace("{{=retries ?? 'x'}}", Unresolved::Keep()),
            "{{=retries ?? 'x'}}");
  EXPECT_THAT(Replace("{{=later + 1}}"),
              HasSubstr("'later' stands for nothing"));
  EXPECT_THAT(Replace("{{=1 +}}", Unresolved::Keep()), HasSubstr("error"));
}

TEST(TemplatingTest, WhatASkippedNodeNeverMadeIsRefused) {
  EXPECT_THAT(
      Replace("{{tasks.skipped.outputs.parameters.x}}", Unresolved::Keep()),
      HasSubstr("was skipped"));
}

TEST(TemplatingTest, CharactersThatArgoCannotCarryAreRefused) {
  EXPECT_THAT(Replace("{{bad}}"), HasSubstr("cannot carry"));
}

TEST(TemplatingTest, ARenderedTemplateIsReadAgain) {
  const LoadedWorkflows loaded = LoadWorkflows(
      "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n"
      "metadata: {name: w}\nspec:\n  templates:\n"
      "    - name: t\n      activeDeadlineSeconds: '{{inputs.parameters.n}}'\n"
      "      container: {image: i, command: [echo], "
      "args: ['{{inputs.parameters.text}}']}\n",
      "w.yaml");
  const absl::StatusOr<Template> rendered = Render(
      loaded.workflows[0].spec.templates[0], Names(), Unresolved::Refuse());
  ASSERT_TRUE(rendered.ok()) << rendered.status();
  EXPECT_EQ(rendered->active_deadline_seconds->text, "7");
  EXPECT_THAT(rendered->container->args, ElementsAre("a \"quoted\"\nline"));
}

TEST(TemplatingTest, FindTagsGivesWhatIsBetweenBraces) {
  EXPECT_THAT(FindTags("{{a}} {{ b }}{{=1}} {{c"),
              ElementsAre("a", " b ", "=1"));
}

}  // namespace
}  // namespace rekindle::argo
