#include "operator/view/live_view.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {
namespace {

class LiveViewTest : public ::testing::Test {
 protected:
  LiveViewTest() {
    workflow_.name = "w";
    workflow_.phase = "Running";
    Add("w", "DAG").phase = "Running";
    Add("w.a", "Pod").phase = "Pending";
  }

  ShownNode& Add(const std::string& name, const std::string& type) {
    ShownNode& node = workflow_.nodes.emplace_back();
    node.id = name;
    node.name = name;
    node.display_name = name;
    node.type = type;
    if (name != "w") node.boundary_id = "w";
    return node;
  }

  // What the next call writes.
  std::string Shown() {
    out_.str("");
    view_.Show(workflow_, now_);
    return out_.str();
  }
  std::string Finished() {
    out_.str("");
    view_.Finish(workflow_, now_);
    return out_.str();
  }

  const absl::Time now_ = absl::FromUnixSeconds(1000);
  ShownWorkflow workflow_;
  Screen screen_;
  std::ostringstream out_;
  LiveView view_{out_, [this] { return screen_; }};
};

TEST_F(LiveViewTest, WithoutATerminalEachChangeOfALeafIsALine) {
  ShownNode& pod = workflow_.nodes[1];
  EXPECT_EQ(Shown(), "");
  pod.phase = "Running";
  pod.started = now_;
  EXPECT_EQ(Shown(), "● w.a  Running\n");
  EXPECT_EQ(Shown(), "");
  pod.phase = "Failed";
  pod.finished = now_ + absl::Milliseconds(40);
  pod.message = "exit\ncode 1";
  EXPECT_EQ(Shown(), "✖ w.a  Failed  40ms  exit code 1\n");
}

TEST_F(LiveViewTest, WithoutATerminalTheTreeIsWrittenAtTheEnd) {
  workflow_.nodes[1].phase = "Skipped";
  EXPECT_EQ(Finished(), "○ w.a  Skipped\n\nw  Running\nSTEP\n● w\n└─○ w.a\n");
}

TEST_F(LiveViewTest, OnATerminalTheTreeIsDrawnOverItself) {
  screen_.terminal = true;
  const std::string tree =
      "w  Running\033[K\nSTEP\033[K\n● w\033[K\n└─◷ w.a\033[K\n\033[J";
  EXPECT_EQ(Shown(), tree);
  EXPECT_EQ(Shown(), "\033[4F" + tree);
}

TEST_F(LiveViewTest, OnlyTheLastDrawingIsLargerThanTheTerminal) {
  screen_ = {.terminal = true, .coloured = false, .rows = 5, .columns = 8};
  Add("w.b", "Pod").phase = "Running";
  EXPECT_EQ(Shown(),
            "w  Run…\033[K\nSTEP\033[K\n● w\033[K\n… and …\033[K\n\033[J");
  EXPECT_EQ(Finished(),
            "\033[4F\033[Jw  Running\nSTEP\n● w\n├─◷ w.a\n└─● w.b\n");
}

TEST_F(LiveViewTest, ANoticeIsALineBelowTheTreeWhileThereIsOne) {
  screen_ = {.terminal = true, .coloured = false, .rows = 6, .columns = 12};
  Add("w.b", "Pod").phase = "Running";
  view_.SetNotice("the cluster\nis away");
  EXPECT_EQ(Shown(),
            "w  Running\033[K\nSTEP\033[K\n● w\033[K\n… and 2 mo…\033[K\n"
            "the cluste…\033[K\n\033[J");
  view_.SetNotice("");
  EXPECT_EQ(Shown(),
            "\033[5Fw  Running\033[K\nSTEP\033[K\n● w\033[K\n"
            "├─◷ w.a\033[K\n└─● w.b\033[K\n\033[J");
}

TEST_F(LiveViewTest, ANoticeIsNotPartOfTheLastDrawing) {
  screen_.terminal = true;
  view_.SetNotice("the cluster is away");
  EXPECT_EQ(Finished(), "\033[Jw  Running\nSTEP\n● w\n└─◷ w.a\n");
}

TEST_F(LiveViewTest, ANoticeHasNoPlaceWithoutATerminal) {
  view_.SetNotice("the cluster is away");
  EXPECT_EQ(Shown(), "");
}

}  // namespace
}  // namespace rekindle::argo
