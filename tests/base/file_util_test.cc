#include "base/file_util.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(JoinPathTest, PutsExactlyOneSlashBetween) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "/b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
}

TEST(FileUtilTest, WriteReplacesTheWholeFileAndLeavesNothingElse) {
  TempDir dir;
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "long content").ok());
  ASSERT_TRUE(WriteFileAtomically(dir / "f", "short").ok());
  EXPECT_EQ(*ReadFile(dir / "f"), "short");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}),
            1);
}

TEST(FileUtilTest, ReadNamesTheMissingFile) {
  TempDir dir;
  EXPECT_THAT(ReadFile(dir / "none"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(dir / "none")));
}

TEST(FileUtilTest, ReadRefusesAFolder) {
  TempDir dir;
  EXPECT_THAT(ReadFile(dir.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(FileUtilTest, RenameNeverReplaces) {
  TempDir dir;
  dir.Write("from/x", "new");
  dir.Write("to/x", "old");
  EXPECT_THAT(RenameNoReplace(dir / "from", dir / "to"),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(*ReadFile(dir / "to/x"), "old");
}

TEST(FileUtilTest, AFileInTheWayIsNamed) {
  TempDir dir;
  dir.Write("root", "I am a file");
  EXPECT_THAT(MakeWritableDir(dir / "root/node"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr(dir / "root/node")));
}

TEST(FileUtilTest, RemovingNothingIsFine) {
  TempDir dir;
  EXPECT_TRUE(RemoveTree(dir / "none").ok());
}

TEST(FileUtilTest, SyncReachesEveryFile) {
  TempDir dir;
  dir.Write("a/b/c", "x");
  EXPECT_TRUE(SyncTree(dir.path()).ok());
  EXPECT_FALSE(SyncTree(dir / "none").ok());
}

TEST(FileUtilTest, SyncNamesAPipeAndDoesNotWaitForIt) {
  TempDir dir;
  dir.Write("a/b", "x");
  ASSERT_EQ(mkfifo((dir / "a/pipe").c_str(), 0600), 0);
  EXPECT_THAT(
      SyncTree(dir.path()),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr(dir / "a/pipe"), HasSubstr("a named pipe"))));
}

}  // namespace
}  // namespace rekindle
