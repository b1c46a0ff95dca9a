#include "operator/pods/pod_view.h"

#include <algorithm>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file_util.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

class PodViewTest : public ::testing::Test {
 protected:
  PodViewTest() : view_(root_, common_) {}

  // Whether this machine's `path` is at the same place in the view.
  static bool IsBound(const View& view, const std::string& path) {
    return std::any_of(
        view.binds.begin(), view.binds.end(), [&](const Bind& bind) {
          return bind.source == path && bind.target == view.root + path;
        });
  }

  TempDir dir_;
  const std::string root_ = JoinPath(dir_.path(), "root");
  const std::string common_ = JoinPath(dir_.path(), "common");
  PodView view_;
};

TEST_F(PodViewTest, APrivateFolderIsReadFromOutside) {
  ASSERT_TRUE(view_.MakePrivate("/tmp").ok());
  EXPECT_EQ(view_.Outside("/tmp/out"), root_ + "/tmp/out");
  EXPECT_EQ(view_.Outside("/usr/bin/true"), "/usr/bin/true");
}

TEST_F(PodViewTest, APathThatThisMachineLacksCanBePlaced) {
  const auto placed = view_.Place("/no/such/folder/file");
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ(*placed, root_ + "/no/such/folder/file");
  const auto view = view_.Build();
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_TRUE(PathExists(root_ + "/no/such/folder"));
  EXPECT_TRUE(IsBound(*view, "/usr"));
}

TEST_F(PodViewTest, AFolderThatGetsAFileKeepsItsOtherEntries) {
  ASSERT_TRUE(view_.Place("/etc/rekindle-test-file").ok());
  const auto view = view_.Build();
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_FALSE(IsBound(*view, "/etc"));
  EXPECT_TRUE(IsBound(*view, "/etc/passwd"));
  EXPECT_EQ(view_.Outside("/etc/passwd"), "/etc/passwd");
}

TEST_F(PodViewTest, WhatIsPlacedBehindALinkIsFoundBehindIt) {
  const std::string folder = JoinPath(dir_.path(), "folder");
  const std::string link = JoinPath(dir_.path(), "link");
  ASSERT_TRUE(MakeDirs(folder).ok());
  ASSERT_EQ(symlink(folder.c_str(), link.c_str()), 0);
  const auto placed = view_.Place(link + "/out");
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ(*placed, root_ + folder + "/out");
  EXPECT_EQ(view_.Outside(link + "/out"), *placed);
  EXPECT_EQ(view_.Outside(link + "/other"), folder + "/other");
}

TEST_F(PodViewTest, ALinkOfThisMachineIsNoneInAPrivateFolder) {
  const std::string link = JoinPath(dir_.path(), "link");
  ASSERT_EQ(symlink("/usr", link.c_str()), 0);
  ASSERT_TRUE(view_.MakePrivate(dir_.path()).ok());
  EXPECT_EQ(view_.Outside(link + "/out"), root_ + link + "/out");
}

TEST_F(PodViewTest, NothingIsPlacedBehindALinkThatThePodDoesNotSee) {
  const std::string link = JoinPath(dir_.path(), "link");
  ASSERT_EQ(symlink("/usr", link.c_str()), 0);
  ASSERT_TRUE(view_.MakePrivate(dir_.path()).ok());
  EXPECT_EQ(*view_.Place(link + "/out"), root_ + link + "/out");
  EXPECT_EQ(view_.Outside(link + "/out"), root_ + link + "/out");
  ASSERT_TRUE(view_.Mount("/etc", link + "/etc", true).ok());
  EXPECT_EQ(view_.Outside(link + "/etc/passwd"), "/etc/passwd");
}

TEST_F(PodViewTest, NothingIsPlacedOutsideOfAVolume) {
  const std::string volume = JoinPath(dir_.path(), "volume");
  ASSERT_TRUE(MakeDirs(volume).ok());
  ASSERT_EQ(symlink("/usr", (volume + "/link").c_str()), 0);
  ASSERT_TRUE(view_.Mount(volume, "/mnt/vol", false).ok());
  const auto placed = view_.Place("/mnt/vol/link/x");
  EXPECT_EQ(placed.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(PodViewTest, AVolumesFilesAreTheVolumes) {
  const std::string volume = JoinPath(dir_.path(), "volume");
  ASSERT_TRUE(MakeDirs(volume).ok());
  ASSERT_TRUE(view_.Mount(volume, "/mnt/vol", false).ok());
  EXPECT_EQ(view_.Outside("/mnt/vol/x/y"), volume + "/x/y");
  EXPECT_EQ(*view_.Place("/mnt/vol/out"), volume + "/out");
}

}  // namespace
}  // namespace rekindle::argo
