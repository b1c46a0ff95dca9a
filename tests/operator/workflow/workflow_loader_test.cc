#include "operator/workflow/workflow_loader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHead[] =
    "apiVersion: argoproj.io/v1alpha1\n"
    "kind: Workflow\n"
    "metadata: {name: w}\n";

Findings FindingsOf(const std::string& spec) {
  return LoadWorkflows(absl::StrCat(kHead, spec), "w.yaml").findings;
}

TEST(WorkflowLoaderTest, ReadsWhatAWorkflowSays) {
  const LoadedWorkflows loaded = LoadWorkflows(absl::StrCat(kHead, R"(spec:
  entrypoint: main
  arguments: {parameters: [{name: count, value: 3}, {name: flag, value: yes},
                           {name: x, value: 1e3}]}
  templates:
    - name: main
      dag:
        tasks:
          - name: a
            template: t
            withItems: [1, {k: v}]
            arguments: {parameters: [{name: p, value: "{{item}}"}]}
          - {name: b, dependencies: [a], template: t, when: "1 == 1"}
    - name: t
      inputs: {parameters: [{name: p, default: d, enum: [d, 1]}]}
      retryStrategy: {limit: 2, backoff: {duration: 1s, factor: 2}}
      script: {image: python, command: [python3], source: print(1)}
      outputs: {artifacts: [{name: o, path: /tmp/o, archive: {none: {}}}]}
)"),
                                               "w.yaml");
  EXPECT_THAT(loaded.findings, IsEmpty());
  ASSERT_EQ(loaded.workflows.size(), 1);
  const WorkflowSpec& spec = loaded.workflows[0].spec;
  EXPECT_EQ(spec.arguments.FindParameter("count")->value, "3");
  EXPECT_EQ(spec.arguments.FindParameter("flag")->value, "true");
  EXPECT_EQ(spec.arguments.FindParameter("x")->value, "1000");
  const Step& task = spec.FindTemplate("main")->dag->tasks[0];
  EXPECT_EQ(task.with_items.size(), 2);
  EXPECT_EQ(task.position.ToString(), "w.yaml:12:13");
  const Template& leaf = *spec.FindTemplate("t");
  EXPECT_EQ(leaf.kind(), TemplateKind::kScript);
  EXPECT_EQ(leaf.retry_strategy->limit->text, "2");
  EXPECT_THAT(leaf.inputs.parameters[0].enum_values, ElementsAre("d", "1"));
  EXPECT_EQ(leaf.outputs.artifacts[0].archive, Artifact::Archive::kNone);
}

TEST(WorkflowLoaderTest, ReadsEveryKindOfAFile) {
  const LoadedWorkflows loaded = LoadWorkflows(
      "apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\n"
      "metadata: {name: a}\nspec: {}\n---\n"
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ignored}\n---\n"
      "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\n"
      "metadata: {name: b}\n"
      "spec: {schedules: ['0 1 * * *'], workflowSpec: {entrypoint: x}}\n",
      "w.yaml");
  EXPECT_THAT(loaded.findings, IsEmpty());
  ASSERT_EQ(loaded.workflows.size(), 2);
  EXPECT_EQ(loaded.workflows[0].kind, WorkflowKind::kWorkflowTemplate);
  EXPECT_EQ(loaded.workflows[1].spec.entrypoint, "x");
  EXPECT_THAT(loaded.workflows[1].schedules, ElementsAre("0 1 * * *"));
}

TEST(WorkflowLoaderTest, AFieldArgoDoesNotHaveIsNamedWithTheNearest) {
  const Findings findings = FindingsOf(
      "spec:\n  templates:\n    - name: t\n      retryStrategi: {}\n");
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].ToString(),
            "w.yaml:7:7: template 't': Argo has no field "
            "'spec.templates[0].retryStrategi'; did you mean "
            "'retryStrategy'?");
}

TEST(WorkflowLoaderTest, AValueOfAWrongTypeIsNamed) {
  const Findings findings =
      FindingsOf("spec:\n  entrypoint: 3\n  parallelism: x\n  templates: {}\n");
  ASSERT_EQ(findings.size(), 3);
  EXPECT_EQ(findings[0].message,
            "'spec.entrypoint' must be a string, not the number 3; put quotes "
            "around it");
  EXPECT_THAT(findings[1].message, HasSubstr("must be a whole number"));
  EXPECT_THAT(findings[2].message, HasSubstr("must be a list, not a map"));
}

TEST(WorkflowLoaderTest, ASyntaxErrorHasItsPlace) {
  const LoadedWorkflows loaded = LoadWorkflows("a: [1\nb: 2\n", "w.yaml");
  ASSERT_EQ(loaded.findings.size(), 1);
  EXPECT_GT(loaded.findings[0].position.line, 0);
  EXPECT_THAT(loaded.findings[0].message, HasSubstr("not YAML"));
}

TEST(WorkflowLoaderTest, WhatALaptopCannotDoIsRefusedByNameAndPlace) {
  const LoadedWorkflows loaded = LoadWorkflows(
      absl::StrCat(kHead,
                   "spec:\n  tolerations: []\n  templates:\n"
                   "    - name: t\n      daemon: true\n"
                   "      container: {image: i, resources: {}, env: [{name: A, "
                   "valueFrom: {secretKeyRef: {name: s, key: k}}}]}\n"),
      "w.yaml");
  EXPECT_THAT(loaded.findings, IsEmpty());
  const Findings refused = CheckRunnable(loaded.workflows[0]);
  ASSERT_EQ(refused.size(), 2);
  EXPECT_EQ(refused[0].ToString(),
            "w.yaml:8:7: template 't': 'rekindle run' does not support "
            "'spec.templates[0].daemon': a step ends before the next one "
            "starts");
  EXPECT_EQ(refused[1].field, "spec.templates[0].container.env[0].valueFrom");
}

}  // namespace
}  // namespace rekindle::argo
