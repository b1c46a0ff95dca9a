#include "component/launch/state_folder.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

TEST(StateFolderTest, TheFirstAttemptFindsNothing) {
  const TempDir dir;
  RK_ASSERT_OK_AND_ASSIGN(const std::string ours, AdoptState(dir / "state", 1));
  EXPECT_EQ(ours, dir / "state/1");
  EXPECT_TRUE(PathExists(ours));
}

TEST(StateFolderTest, ARetryTakesOverWhatTheNewestAttemptLeft) {
  TempDir dir;
  dir.Write("state/1/ckpt", "old");
  dir.Write("state/3/ckpt", "new");
  RK_ASSERT_OK_AND_ASSIGN(const std::string ours, AdoptState(dir / "state", 4));
  EXPECT_EQ(*ReadFile(JoinPath(ours, "ckpt")), "new");
  EXPECT_FALSE(PathExists(dir / "state/3"));
}

TEST(StateFolderTest, WhatANewerAttemptHasIsLeftAlone) {
  TempDir dir;
  dir.Write("state/5/ckpt", "newer");
  RK_ASSERT_OK_AND_ASSIGN(const std::string ours, AdoptState(dir / "state", 4));
  EXPECT_FALSE(PathExists(JoinPath(ours, "ckpt")));
  EXPECT_TRUE(PathExists(dir / "state/5/ckpt"));
}

}  // namespace
}  // namespace rekindle
