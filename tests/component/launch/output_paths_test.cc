#include "component/launch/output_paths.h"

#include <optional>

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(OutputPathsTest, FollowsTheLayoutOfTfx) {
  const OutputPaths paths("/root/p", "Trainer", "mine");
  EXPECT_EQ(paths.Final("model", 3), "/root/p/Trainer/model/3");
  EXPECT_EQ(paths.ExecutionDir(3),
            "/root/p/Trainer/.system/executor_execution/3-mine");
}

TEST(OutputPathsTest, StagingIsBesideTheFinalPlaceAndOneForEachAttempt) {
  const OutputPaths paths("/root/p", "Trainer", "mine");
  EXPECT_EQ(paths.Staging("model", 3, 1),
            "/root/p/Trainer/model/.staging-3-1-mine");
  EXPECT_NE(paths.Staging("model", 3, 1), paths.Staging("model", 3, 2));
}

TEST(OutputPathsTest, EveryAttemptFindsTheSameState) {
  const OutputPaths paths("/root/p", "Trainer", "mine");
  EXPECT_EQ(paths.StateDir("run/Trainer", 1), paths.StateDir("run/Trainer", 1));
  EXPECT_NE(paths.StateDir("run/Trainer", 1),
            paths.StateDir("run2/Trainer", 1));
  EXPECT_NE(paths.StateDir("run/Trainer", 1), paths.StateDir("run/Trainer", 2))
      << "the execution was deleted, and another has its name";
}

TEST(OutputPathsTest, StoresShareTheFirstPlaceOfAnOutputAndNothingElse) {
  const OutputPaths mine("/root/p", "Trainer", "mine");
  const OutputPaths other("/root/p", "Trainer", "other");
  EXPECT_EQ(mine.Final("model", 3), other.Final("model", 3));
  EXPECT_NE(mine.OwnFinal("model", 3, 1), other.OwnFinal("model", 3, 1));
  EXPECT_NE(mine.Staging("model", 3, 1), other.Staging("model", 3, 1));
  EXPECT_NE(mine.AttemptDir(3, 1), other.AttemptDir(3, 1));
  EXPECT_NE(mine.StateDir("run/Trainer", 3), other.StateDir("run/Trainer", 3));
}

TEST(OutputPathsTest, ALeftoverSaysWhoseItIs) {
  const std::optional<Leftover> leftover = ParseLeftoverName(".staging-3-2-me");
  ASSERT_TRUE(leftover.has_value());
  EXPECT_EQ(leftover->execution_id, 3);
  EXPECT_EQ(leftover->token, 2);
  EXPECT_EQ(leftover->store_id, "me");
  for (const char* name :
       {"3", "3-2-me", ".staging-3-2", ".staging-3-2-", ".staging-a-2-me"}) {
    EXPECT_FALSE(ParseLeftoverName(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace rekindle
