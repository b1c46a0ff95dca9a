#include "operator/engine/engine.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A workflow whose pods end as the test says; no process runs and time passes
// only when told.
class EngineTest : public ::testing::Test {
 protected:
  void Load(const std::string& templates) {
    LoadedWorkflows loaded = LoadWorkflows(
        absl::StrCat("apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n"
                     "metadata: {name: w}\nspec:\n  entrypoint: main\n",
                     templates),
        "w.yaml");
    ASSERT_TRUE(ToStatus(loaded.findings).ok()) << ToStatus(loaded.findings);
    workflow_ = loaded.workflows.at(0);
    RunInfo info;
    info.name = "w";
    info.uid = "u";
    info.created_at = now_;
    info.arguments = workflow_.spec.arguments;
    engine_ = std::make_unique<Engine>(workflow_, library_, info);
  }

  // The names of the pods that the engine wants started now.
  std::vector<std::string> Decide() {
    decision_ = engine_->Decide(now_);
    std::vector<std::string> names;
    for (const PodTask& task : decision_.start) {
      names.push_back(engine_->tree().FindId(task.node_id)->display_name);
    }
    return names;
  }

  void End(const std::string& name, int exit_code = 0) {
    for (const Node& node : engine_->tree().nodes()) {
      if (node.display_name != name || node.fulfilled()) continue;
      PodResult result;
      result.outputs.exit_code = absl::StrCat(exit_code);
      if (exit_code != 0) result.phase = Phase::kFailed;
      return engine_->PodEnded(node.id, result, now_);
    }
    FAIL() << "no pod " << name;
  }

  std::string PhaseOfNode(const std::string& name) {
    const Node* node = engine_->tree().Find(absl::StrCat("w", name));
    return node == nullptr ? "none" : PhaseName(node->phase);
  }

  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  Workflow workflow_;
  TemplateLibrary library_;
  std::unique_ptr<Engine> engine_;
  Decision decision_;
};

constexpr char kLeaf[] =
    "    - {name: t, container: {image: x, command: [c]}}\n";

TEST_F(EngineTest, ADiamondRunsInOrderAndItsSidesTogether) {
  Load(absl::StrCat(
      "  templates:\n    - name: main\n      dag:\n        tasks:\n"
      "          - {name: a, template: t}\n"
      "          - {name: b, template: t, dependencies: [a]}\n"
      "          - {name: c, template: t, dependencies: [a]}\n"
      "          - {name: d, template: t, depends: b && c}\n",
      kLeaf));
  EXPECT_THAT(Decide(), ElementsAre("a"));
  End("a");
  EXPECT_THAT(Decide(), UnorderedElementsAre("b", "c"));
  End("b");
  EXPECT_THAT(Decide(), IsEmpty());
  End("c");
  EXPECT_THAT(Decide(), ElementsAre("d"));
  End("d");
  Decide();
  EXPECT_TRUE(engine_->done());
  EXPECT_EQ(engine_->phase(), Phase::kSucceeded);
}

TEST_F(EngineTest, WhatIsBehindAFailureIsOmittedAndTheDagFails) {
  Load(absl::StrCat(
      "  templates:\n    - name: main\n      dag:\n        tasks:\n"
      "          - {name: a, template: t}\n"
      "          - {name: b, template: t, dependencies: [a]}\n",
      kLeaf));
  Decide();
  End("a", 1);
  EXPECT_THAT(Decide(), IsEmpty());
  EXPECT_EQ(PhaseOfNode(".b"), "Omitted");
  EXPECT_EQ(engine_->phase(), Phase::kFailed);
}

TEST_F(EngineTest, AFailedStepEndsItsGroupWhenTheOthersHaveEnded) {
  Load(absl::StrCat(
      "  templates:\n    - name: main\n      steps:\n"
      "        - [{name: a, template: t}, {name: b, template: t}]\n"
      "        - [{name: c, template: t}]\n",
      kLeaf));
  EXPECT_THAT(Decide(), ElementsAre("a", "b"));
  End("a", 1);
  EXPECT_THAT(Decide(), IsEmpty());
  EXPECT_FALSE(engine_->done());
  End("b");
  Decide();
  EXPECT_EQ(engine_->phase(), Phase::kFailed);
  EXPECT_EQ(
      engine_->message(),
      absl::StrCat("child '", engine_->tree().IdOf("w[0].a"), "' failed"));
  EXPECT_EQ(PhaseOfNode("[1]"), "none");
}

TEST_F(EngineTest, RetriesWaitForTheirBackOffAndEndAtTheirLimit) {
  Load(
      "  templates:\n    - name: main\n"
      "      retryStrategy: {limit: 1, backoff: {duration: 10s}}\n"
      "      container: {image: x, command: [c]}\n");
  EXPECT_THAT(Decide(), ElementsAre("w(0)"));
  End("w(0)", 3);
  EXPECT_THAT(Decide(), IsEmpty());
  EXPECT_EQ(decision_.wake, now_ + absl::Seconds(10));
  now_ += absl::Seconds(10);
  EXPECT_THAT(Decide(), ElementsAre("w(1)"));
  End("w(1)", 3);
  Decide();
  EXPECT_EQ(engine_->message(), "No more retries left");
}

TEST_F(EngineTest, ParallelismLimitsTheChildrenOfATemplate) {
  Load(absl::StrCat(
      "  templates:\n    - name: main\n      parallelism: 2\n      steps:\n"
      "        - - {name: a, template: t, withSequence: {count: \"3\"}}\n",
      kLeaf));
  EXPECT_THAT(Decide(), ElementsAre("a(0:0)", "a(1:1)"));
  End("a(1:1)");
  EXPECT_THAT(Decide(), ElementsAre("a(2:2)"));
}

TEST_F(EngineTest, ADeadlineKillsWhatRunsAndTheExitHandlerStillRuns) {
  Load(absl::StrCat("  activeDeadlineSeconds: 5\n  onExit: t\n",
                    "  templates:\n    - name: main\n      steps:\n"
                    "        - [{name: a, template: t}]\n",
                    kLeaf));
  EXPECT_THAT(Decide(), ElementsAre("a"));
  EXPECT_EQ(decision_.wake, now_ + absl::Seconds(5));
  now_ += absl::Seconds(5);
  Decide();
  ASSERT_EQ(decision_.kill.size(), 1U);
  End("a", 143);
  EXPECT_THAT(Decide(), ElementsAre("w.onExit"));
  End("w.onExit");
  Decide();
  EXPECT_EQ(PhaseOfNode("[0].a"), "Failed");
  EXPECT_EQ(engine_->tree().Find("w[0].a")->message,
            "Step exceeded its deadline");
}

TEST_F(EngineTest, APodThatOthersFindByItsNameIsRefusedAndOthersAreNot) {
  Load(
      "  templates:\n"
      "    - name: main\n"
      "      dag:\n"
      "        tasks:\n"
      "          - name: named\n"
      "            template: pod\n"
      "            arguments: {parameters: [{name: of, value: pods}]}\n"
      "          - {name: nameless, template: pod}\n"
      "    - name: pod\n"
      "      inputs: {parameters: [{name: of, value: ''}]}\n"
      "      podSpecPatch: 'subdomain: \"{{inputs.parameters.of}}\"'\n"
      "      container: {image: x, command: [c]}\n");
  EXPECT_THAT(Decide(), ElementsAre("nameless"));
  EXPECT_EQ(PhaseOfNode(".named"), "Error");
  EXPECT_THAT(engine_->tree().Find("w.named")->message,
              HasSubstr("template 'pod' gives its pod a name in the subdomain "
                        "'pods'"));
}

TEST_F(EngineTest, AStoppedRunStartsNothingMore) {
  Load(
      absl::StrCat("  templates:\n    - name: main\n      steps:\n"
                   "        - [{name: a, template: t}]\n        - [{name: b, "
                   "template: t}]\n",
                   kLeaf));
  Decide();
  engine_->Stop(Shutdown::kStop);
  EXPECT_THAT(Decide(), IsEmpty());
  ASSERT_EQ(decision_.kill.size(), 1U);
  End("a", 143);
  EXPECT_THAT(Decide(), IsEmpty());
  EXPECT_TRUE(engine_->done());
  EXPECT_EQ(engine_->message(), "Stopped with strategy 'Stop'");
}

}  // namespace
}  // namespace rekindle::argo
