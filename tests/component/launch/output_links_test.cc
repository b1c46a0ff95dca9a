#include "component/launch/output_links.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

class OutputLinksTest : public ::testing::Test {
 protected:
  OutputLinksTest() {
    dir_.Write("staged/file", "1");
    dir_.Write("staged/a/b/file", "2");
  }

  void Link(const std::string& text, const std::string& name) const {
    fs::create_symlink(text, dir_ / name);
  }

  // What the link says once the folder was moved, and what is read there.
  std::string MovedText(const std::string& name) const {
    return fs::read_symlink(dir_ / ("final/" + name));
  }
  std::string MovedContent(const std::string& name) const {
    return ReadFile(dir_ / ("final/" + name)).value_or("nothing");
  }
  void Move() const {
    EXPECT_THAT(KeepLinksInside(dir_ / "staged", {dir_ / "other"}), IsOk());
    fs::rename(dir_ / "staged", dir_ / "final");
  }

  TempDir dir_;
};

TEST_F(OutputLinksTest, AnAbsoluteLinkIntoTheFolderLeadsToTheSameAfterwards) {
  Link(dir_ / "staged/file", "staged/latest");
  Link(dir_ / "staged/file", "staged/a/b/up");
  Link(dir_ / "staged/a/./b", "staged/folder");
  Move();
  EXPECT_EQ(MovedText("latest"), "file");
  EXPECT_EQ(MovedContent("latest"), "1");
  EXPECT_EQ(MovedContent("a/b/up"), "1");
  EXPECT_EQ(MovedContent("folder/file"), "2");
}

TEST_F(OutputLinksTest, ALinkThatNamesTheFolderFromOutsideDoesToo) {
  Link("../staged/file", "staged/latest");
  Link("../../../staged/a/b/file", "staged/a/b/self");
  Move();
  EXPECT_EQ(MovedContent("latest"), "1");
  EXPECT_EQ(MovedContent("a/b/self"), "2");
}

TEST_F(OutputLinksTest, TheFolderMayBeNamedByALinkToIt) {
  Link(dir_.path(), "root");
  Link(dir_ / "staged/file", "staged/latest");
  EXPECT_THAT(KeepLinksInside(dir_ / "root/staged", {}), IsOk());
  fs::rename(dir_ / "staged", dir_ / "final");
  EXPECT_EQ(MovedContent("latest"), "1");
}

TEST_F(OutputLinksTest, OtherLinksStayAsTheyAre) {
  dir_.Write("data", "3");
  Link("a/b/file", "staged/inside");
  Link("../../file", "staged/a/b/inside");
  Link(dir_ / "data", "staged/outside");
  Link("nowhere", "staged/dangling");
  Move();
  EXPECT_EQ(MovedText("inside"), "a/b/file");
  EXPECT_EQ(MovedText("a/b/inside"), "../../file");
  EXPECT_EQ(MovedText("outside"), dir_ / "data");
  EXPECT_EQ(MovedText("dangling"), "nowhere");
}

TEST_F(OutputLinksTest, ALinkIntoAFolderThatWillBeGoneIsNamed) {
  dir_.Write("other/file", "4");
  Link(dir_ / "other/file", "staged/theirs");
  EXPECT_THAT(KeepLinksInside(dir_ / "staged", {dir_ / "other"}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(dir_ / "staged/theirs"),
                             HasSubstr(dir_ / "other/file"))));
}

}  // namespace
}  // namespace rekindle
