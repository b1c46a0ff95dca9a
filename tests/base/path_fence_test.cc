#include "base/path_fence.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

class PathFenceTest : public ::testing::Test {
 protected:
  PathFenceTest() {
    dir_.Write("root/a", "");
    dir_.Write("root2/a", "");
  }

  TempDir dir_;
};

TEST_F(PathFenceTest, HoldsWhatIsAtOrBelowAPlaceWhetherItExistsOrNot) {
  const PathFence fence({dir_ / "root/", dir_ / "none"});
  for (const char* inside : {"root", "root/", "root/a", "root/x/y", "none/x"}) {
    EXPECT_TRUE(fence.Holds(dir_ / inside)) << inside;
  }
  for (const char* outside :
       {"", "root2/a", "roo", "root/../root2/a", "nonesuch"}) {
    EXPECT_FALSE(fence.Holds(dir_ / outside)) << outside;
  }
  EXPECT_FALSE(fence.Holds(""));
}

TEST_F(PathFenceTest, GoesByWhereLinksLead) {
  std::filesystem::create_symlink(dir_ / "root2", dir_ / "root/out");
  std::filesystem::create_symlink(dir_ / "root", dir_ / "root2/in");
  std::filesystem::create_symlink(dir_ / "root/loop", dir_ / "root/loop");
  const PathFence fence({dir_ / "root2/in"});
  EXPECT_TRUE(fence.Holds(dir_ / "root/a"));
  EXPECT_TRUE(fence.Holds(dir_ / "root2/in/a"));
  EXPECT_FALSE(fence.Holds(dir_ / "root/out/a"));
  EXPECT_FALSE(fence.Holds(dir_ / "root/loop/a"));
}

TEST_F(PathFenceTest, AroundNothingHoldsNothingAndAroundTheRootEverything) {
  EXPECT_FALSE(PathFence({}).Holds(dir_.path()));
  EXPECT_TRUE(PathFence({"/"}).Holds(dir_.path()));
  EXPECT_TRUE(PathFence({"/"}).Holds("/"));
}

}  // namespace
}  // namespace rekindle
