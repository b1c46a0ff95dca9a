#include "operator/local/pod_view.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "base/file_util.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

class PodViewTest : public ::testing::Test {
 protected:
  PodViewTest() : view_(root_) {}

  bool IsBound(const View& view, const std::string& path) {
    return std::any_of(
        view.binds.begin(), view.binds.end(),
        [&](const Bind& bind) { return bind.target == root_ + path; });
  }

  TempDir dir_;
  const std::string root_ = JoinPath(dir_.path(), "root");
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

TEST_F(PodViewTest, AVolumesFilesAreTheVolumes) {
  const std::string volume = JoinPath(dir_.path(), "volume");
  ASSERT_TRUE(MakeDirs(volume).ok());
  ASSERT_TRUE(view_.Mount(volume, "/mnt/vol", false).ok());
  EXPECT_EQ(view_.Outside("/mnt/vol/x/y"), volume + "/x/y");
  EXPECT_EQ(*view_.Place("/mnt/vol/out"), volume + "/out");
}

}  // namespace
}  // namespace rekindle::argo
