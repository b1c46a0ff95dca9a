#include "base/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kV1[] = "oom_kill_disable 0\nunder_oom 0\noom_kill ";
constexpr char kV2[] =
    "low 0\nhigh 3\nmax 12\noom 2\noom_group_kill 0\noom_kill ";

class CgroupTest : public ::testing::Test {
 protected:
  TempDir root_;
};

TEST_F(CgroupTest, ReadsVersion1OfTheGroupAndTheOneAbove) {
  root_.Write("proc/self/cgroup", "5:cpu:/elsewhere\n4:memory:/pods/a\n0::/\n");
  const std::string own =
      root_.Write("sys/fs/cgroup/memory/pods/a/memory.oom_control",
                  std::string(kV1) + "7\n");
  const std::string above = root_.Write(
      "sys/fs/cgroup/memory/pods/memory.oom_control", std::string(kV1) + "9\n");
  EXPECT_THAT(ReadOomKills(root_.path()),
              UnorderedElementsAre(Pair(own, 7), Pair(above, 9)));
}

TEST_F(CgroupTest, ReadsVersion2OfTheGroupAndTheOneAbove) {
  root_.Write("proc/self/cgroup", "0::/pods/a\n");
  const std::string own = root_.Write("sys/fs/cgroup/pods/a/memory.events",
                                      std::string(kV2) + "1\n");
  const std::string above =
      root_.Write("sys/fs/cgroup/pods/memory.events", std::string(kV2) + "2\n");
  EXPECT_THAT(ReadOomKills(root_.path()),
              UnorderedElementsAre(Pair(own, 1), Pair(above, 2)));
}

TEST_F(CgroupTest, InAContainerTheHostsPathMayNotBeThereButItsOwnGroupIs) {
  root_.Write("proc/self/cgroup", "0::/kubepods/pod1/main:0\n");
  const std::string own =
      root_.Write("sys/fs/cgroup/memory.events", std::string(kV2) + "4\n");
  EXPECT_THAT(ReadOomKills(root_.path()), UnorderedElementsAre(Pair(own, 4)));
}

TEST_F(CgroupTest, MemoryMayShareItsHierarchyWithOtherControllers) {
  root_.Write("proc/self/cgroup", "4:cpu,memory:/a\n");
  root_.Write("sys/fs/cgroup/memory/a/memory.oom_control",
              std::string(kV1) + "0\n");
  EXPECT_EQ(ReadOomKills(root_.path()).size(), 1);
}

TEST_F(CgroupTest, NoControlGroupsAndOldKernelsCountNothing) {
  EXPECT_THAT(ReadOomKills(root_.path()), IsEmpty());
  root_.Write("proc/self/cgroup", "4:memory:/a\nnonsense\n");
  root_.Write("sys/fs/cgroup/memory/a/memory.oom_control", "under_oom 0\n");
  EXPECT_THAT(ReadOomKills(root_.path()), IsEmpty());
}

TEST(OomKilledSinceTest, OnlyACounterThatGrewIsEvidence) {
  const OomKills before = {{"own", 1}, {"above", 5}};
  EXPECT_FALSE(OomKilledSince(before, before));
  EXPECT_TRUE(OomKilledSince(before, {{"own", 2}, {"above", 5}}));
  EXPECT_TRUE(OomKilledSince(before, {{"own", 1}, {"above", 6}}));
  EXPECT_FALSE(OomKilledSince(before, {{"other", 9}}))
      << "nobody knows what it was before";
  EXPECT_FALSE(OomKilledSince({}, {}));
}

}  // namespace
}  // namespace rekindle
