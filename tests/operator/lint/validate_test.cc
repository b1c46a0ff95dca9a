// What Argo's linter finds is compared to ours in tests/e2e/lint_peer_test.py;
// here is what only Rekindle knows, and how it says it.
#include "operator/lint/validate.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Lint(const std::string& templates) {
  const LoadedWorkflows loaded = LoadWorkflows(
      absl::StrCat("apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n"
                   "metadata: {name: w}\n"
                   "spec:\n  entrypoint: main\n  templates:\n",
                   templates),
      "w.yaml");
  std::vector<std::string> lines;
  for (const Finding& finding : loaded.findings) {
    lines.push_back(finding.ToString());
  }
  for (const Finding& finding :
       Validate(loaded.workflows[0], TemplateLibrary())) {
    lines.push_back(finding.ToString());
  }
  return lines;
}

std::string TrainerWith(const std::string& parameters) {
  return absl::StrCat(
      "    - name: main\n      dag:\n        tasks:\n          - name: train\n"
      "            templateRef: {name: rekindle, template: trainer}\n"
      "            arguments:\n              parameters:\n",
      parameters);
}

TEST(ValidateTest, TheTemplatesOfRekindleItselfAreValid) {
  const TemplateLibrary library;
  for (const Workflow& builtin : BuiltinTemplates()) {
    EXPECT_FALSE(HasErrors(Validate(builtin, library)));
  }
}

TEST(ValidateTest, NamesAndPathsOfVolumesAreKubernetes) {
  EXPECT_THAT(
      Lint("    - name: main\n"
           "      volumes:\n"
           "        - {name: ../v, emptyDir: {}}\n"
           "        - {name: c, persistentVolumeClaim: {claimName: ../../c}}\n"
           "      container:\n"
           "        image: x\n"
           "        command: [c]\n"
           "        volumeMounts:\n"
           "          - {name: c, mountPath: /c, subPath: a/../../b}\n"
           "          - {name: c, mountPath: /d, subPath: '{{pod.name}}'}\n"),
      ElementsAre(HasSubstr("the name '../v' must have only"),
                  HasSubstr("the claimName '../../c' must have only"),
                  HasSubstr("the subPath 'a/../../b' must not contain '..'")));
}

TEST(ValidateTest, AStepOfRekindleMayBeGivenWhatItTakes) {
  EXPECT_THAT(Lint(TrainerWith("                - {name: pipeline, value: p}\n"
                               "                - {name: train-steps, value: "
                               "200}\n")),
              IsEmpty());
}

TEST(ValidateTest, AParameterThatTheTrainerDoesNotHaveIsAnError) {
  EXPECT_THAT(
      Lint(TrainerWith("                - {name: pipeline, value: p}\n"
                       "                - {name: train-step, value: 200}\n")),
      ElementsAre("w.yaml:15:19: template 'main': task 'train' gives 'trainer' "
                  "a parameter 'train-step' that it does not have; did you "
                  "mean 'train-steps'?"));
}

TEST(ValidateTest, AValueOutsideOfTheEnumIsAnError) {
  EXPECT_THAT(
      Lint(TrainerWith("                - {name: pipeline, value: p}\n"
                       "                - {name: executor, value: magic}\n")),
      ElementsAre(HasSubstr("the value 'magic'; it takes: auto, generic, "
                            "estimator")));
}

TEST(ValidateTest, AMissingParameterIsAnError) {
  EXPECT_THAT(
      Lint(TrainerWith("                - {name: train-steps, value: 2}\n")),
      ElementsAre(HasSubstr("must give template 'trainer' its parameter "
                            "'pipeline'")));
}

TEST(ValidateTest, ExpressionsMustParse) {
  EXPECT_THAT(
      Lint("    - name: main\n      retryStrategy: {expression: 'lastRetry.'}\n"
           "      container: {image: i, command: [echo, '{{=1 +}}']}\n"),
      ElementsAre(HasSubstr("the expression 'lastRetry.': column"),
                  HasSubstr("the expression '1 +': column 4: the expression "
                            "ends too early")));
}

TEST(ValidateTest, AConditionMustParse) {
  EXPECT_THAT(
      Lint("    - name: main\n      steps:\n        - - {name: a, "
           "template: t, when: 'a ='}\n"
           "    - name: t\n      container: {image: i, command: [a]}\n"),
      ElementsAre(HasSubstr("step 'a' the condition 'a ='")));
}

TEST(ValidateTest, AllFindingsAreGivenInOrder) {
  const std::vector<std::string> lines = Lint(
      "    - name: main\n      container: {command: [ls]}\n"
      "    - name: other\n"
      "    - name: main\n      container: {image: i, args: [x]}\n");
  EXPECT_THAT(lines, ElementsAre(HasSubstr("needs an image"),
                                 HasSubstr("nothing to run"),
                                 HasSubstr("another template of this name"),
                                 HasSubstr("args but no command")));
}

TEST(ValidateTest, AnUnknownTagNamesTheNearest) {
  EXPECT_THAT(
      Lint("    - name: main\n      inputs: {parameters: [{name: text, value: "
           "x}]}\n      container: {image: i, command: [echo, "
           "'{{inputs.parameters.txt}}']}\n"),
      ElementsAre(HasSubstr("{{inputs.parameters.txt}} stands for nothing "
                            "here; did you mean 'inputs.parameters.text'?")));
}

}  // namespace
}  // namespace rekindle::argo
