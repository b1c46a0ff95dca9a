#include "component/launch/output_paths.h"

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(OutputPathsTest, FollowsTheLayoutOfTfx) {
  const OutputPaths paths("/root/p", "Trainer");
  EXPECT_EQ(paths.Final("model", 3), "/root/p/Trainer/model/3");
  EXPECT_EQ(paths.ExecutionDir(3),
            "/root/p/Trainer/.system/executor_execution/3");
}

TEST(OutputPathsTest, StagingIsBesideTheFinalPlaceAndOneForEachAttempt) {
  const OutputPaths paths("/root/p", "Trainer");
  EXPECT_EQ(paths.Staging("model", 3, 1), "/root/p/Trainer/model/.staging-3-1");
  EXPECT_NE(paths.Staging("model", 3, 1), paths.Staging("model", 3, 2));
}

TEST(OutputPathsTest, EveryAttemptFindsTheSameState) {
  const OutputPaths paths("/root/p", "Trainer");
  EXPECT_EQ(paths.StateDir("run/Trainer", 1), paths.StateDir("run/Trainer", 1));
  EXPECT_NE(paths.StateDir("run/Trainer", 1),
            paths.StateDir("run2/Trainer", 1));
  EXPECT_NE(paths.StateDir("run/Trainer", 1), paths.StateDir("run/Trainer", 2))
      << "the execution was deleted, and another has its name";
}

}  // namespace
}  // namespace rekindle
