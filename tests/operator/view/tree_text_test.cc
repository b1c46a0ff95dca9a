#include "operator/view/tree_text.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class TreeTextTest : public ::testing::Test {
 protected:
  TreeTextTest() {
    workflow_.name = "w";
    workflow_.phase = "Running";
    workflow_.started = start_;
    Add("w", "DAG", "Running").template_name = "main";
  }

  // A node that began with the workflow, below "w" unless that is its name.
  ShownNode& Add(const std::string& name, const std::string& type,
                 const std::string& phase) {
    ShownNode node;
    node.id = name;
    node.name = name;
    node.display_name = name == "w" ? name : name.substr(2);
    node.boundary_id = name == "w" ? "" : "w";
    node.type = type;
    node.phase = phase;
    node.started = start_;
    if (phase != "Running" && phase != "Pending") node.finished = start_;
    return workflow_.nodes.emplace_back(std::move(node));
  }

  std::string Text(const TreeStyle& style = {}) const {
    return absl::StrJoin(
        TreeLines(workflow_, start_ + absl::Seconds(65), style), "\n");
  }

  const absl::Time start_ = absl::FromUnixSeconds(1000);
  ShownWorkflow workflow_;
};

TEST_F(TreeTextTest, ShowsSymbolNameTemplateDurationAndMessage) {
  ShownNode& a = Add("w.a", "Pod", "Failed");
  a.finished = start_ + absl::Milliseconds(40);
  a.template_name = "rekindle/trainer";
  a.message = "exit\ncode 1";
  Add("w.b", "Skipped", "Omitted").message = "omitted";
  workflow_.progress = "1/2";
  EXPECT_EQ(Text(),
            "w  Running  1m05s  1/2 done\n"
            "STEP   TEMPLATE          DURATION  MESSAGE\n"
            "● w    main              1m05s\n"
            "├─✖ a  rekindle/trainer  40ms      exit code 1\n"
            "└─○ b                              omitted");
}

TEST_F(TreeTextTest, PartsAreBelowTheirRetryLoopOrHookedNode) {
  Add("w[0]", "StepGroup", "Succeeded");
  Add("w.a", "Retry", "Succeeded");
  Add("w.a(0)", "Pod", "Failed");
  Add("w.a(1)", "Pod", "Succeeded");
  Add("w.a.onExit", "Pod", "Succeeded");
  Add("w.b", "TaskGroup", "Running");
  Add("w.b(0:f(x))", "Pod", "Running").progress = "3/10";
  Add("w.onExit", "Pod", "Pending").boundary_id = "";
  EXPECT_EQ(Text(),
            "w  Running  1m05s\n"
            "STEP             TEMPLATE  DURATION  MESSAGE\n"
            "● w              main      1m05s\n"
            "├─✔ a                      0s\n"
            "│ ├─✖ a(0)                 0s\n"
            "│ ├─✔ a(1)                 0s\n"
            "│ └─✔ a.onExit             0s\n"
            "└─● b                      1m05s\n"
            "  └─● b(0:f(x))            1m05s     3/10\n"
            "◷ onExit                   1m05s");
}

TEST_F(TreeTextTest, AStepMayBeCalledLikeAHook) {
  Add("w[0]", "StepGroup", "Succeeded");
  Add("w[0].onExit", "Pod", "Succeeded").display_name = "onExit";
  EXPECT_THAT(Text(), HasSubstr("└─✔ onExit "));
}

TEST_F(TreeTextTest, NothingThatAStepSaysMovesTheCursor) {
  Add("w.a", "Pod", "Failed").message = "a\tb\r\033[2Jc";
  EXPECT_THAT(Text(), EndsWith("  a b  [2Jc"));
}

TEST_F(TreeTextTest, AnOnlyAttemptIsTheRetryItselfUntilItFails) {
  Add("w.a", "Retry", "Running");
  Add("w.a(0)", "DAG", "Running").progress = "3/10";
  Add("w.a(0).b", "Pod", "Running").boundary_id = "w.a(0)";
  EXPECT_EQ(Text(),
            "w  Running  1m05s\n"
            "STEP          TEMPLATE  DURATION  MESSAGE\n"
            "● w           main      1m05s\n"
            "└─● a                   1m05s     3/10\n"
            "  └─● a(0).b            1m05s");
  workflow_.nodes[2].phase = "Failed";
  EXPECT_THAT(Text(), HasSubstr("✖ a(0)"));
}

TEST_F(TreeTextTest, KeepsWhatRunsAndWhatFailedWhenThereIsNoRoom) {
  for (int i = 0; i < 50; ++i) {
    Add(absl::StrCat("w.s", i), "Pod", "Succeeded");
  }
  Add("w.failed", "Pod", "Failed");
  TreeStyle style;
  style.height = 6;
  EXPECT_EQ(Text(style),
            "w  Running  1m05s\n"
            "STEP        TEMPLATE  DURATION\n"
            "● w         main      1m05s\n"
            "├─✔ s0                0s\n"
            "└─✖ failed            0s\n"
            "… and 49 more");
}

TEST_F(TreeTextTest, LeavesOutTemplatesAndCutsWhatIsStillTooLong) {
  Add("w.a", "Pod", "Failed").message = "exit code 1";
  TreeStyle style;
  style.width = 24;
  EXPECT_EQ(Text(style),
            "w  Running  1m05s\n"
            "STEP   DURATION  MESSAGE\n"
            "● w    1m05s\n"
            "└─✖ a  0s        exit c…");
}

TEST_F(TreeTextTest, OnlyTheSymbolIsColoured) {
  Add("w.a", "Pod", "Succeeded");
  TreeStyle style;
  style.coloured = true;
  EXPECT_THAT(Text(style), EndsWith("\n└─\033[32m✔\033[0m a            0s"));
}

TEST_F(TreeTextTest, WhatLiesBelowItselfIsDrawnOnce) {
  ShownNode& a = Add("w.a", "Pod", "Running");
  a.id = "";
  a.boundary_id = "";
  EXPECT_EQ(Text(),
            "w  Running  1m05s\n"
            "STEP  TEMPLATE  DURATION\n"
            "● w   main      1m05s\n"
            "● a             1m05s");
}

TEST_F(TreeTextTest, AWorkflowWithoutNodesIsALine) {
  workflow_.nodes.clear();
  EXPECT_EQ(Text(), "w  Running  1m05s");
}

}  // namespace
}  // namespace rekindle::argo
