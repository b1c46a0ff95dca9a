#include "operator/local/tree_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/utf8.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TreeTextTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, Phase phase) {
    Node node;
    node.name = name;
    if (name != "w") node.boundary_id = "w";
    node.phase = phase;
    node.started_at = now_;
    tree_.Add(node);
  }

  const absl::Time now_ = absl::FromUnixSeconds(1000);
  NodeTree tree_{"w"};
};

TEST_F(TreeTextTest, ShowsSymbolNameAndDuration) {
  Add("w", Phase::kRunning);
  Add("w.a", Phase::kSucceeded);
  Add("w.b", Phase::kPending);
  EXPECT_THAT(TreeLines(tree_, now_ + absl::Seconds(65), {}),
              ElementsAre("● w  1m05s", "├─✔ a  0.0s", "└─◷ b"));
}

TEST_F(TreeTextTest, KeepsWhatRunsAndWhatFailedWhenThereIsNoRoom) {
  Add("w", Phase::kRunning);
  for (int i = 0; i < 50; ++i) {
    Add(absl::StrCat("w.s", i), Phase::kSucceeded);
  }
  Add("w.failed", Phase::kFailed);
  TreeStyle style;
  style.height = 5;
  style.width = 12;
  const std::vector<std::string> lines = TreeLines(tree_, now_, style);
  EXPECT_THAT(lines, SizeIs(5));
  EXPECT_THAT(lines[3], HasSubstr("failed"));
  EXPECT_THAT(lines[4], HasSubstr("48 more"));
}

}  // namespace
}  // namespace rekindle::argo
