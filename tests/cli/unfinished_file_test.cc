#include "cli/unfinished_file.h"

#include <csignal>
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

using ::absl::StatusCode;
using ::testing::HasSubstr;

class UnfinishedFileTest : public ::testing::Test {
 protected:
  // Writes where the file is to be written, and what SQLite puts beside it.
  static void Fill(const UnfinishedFile& file) {
    ASSERT_THAT(WriteFileAtomically(file.path(), "new"), IsOk());
    ASSERT_THAT(WriteFileAtomically(file.path() + "-journal", "j"), IsOk());
  }
  int FilesIn() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(dir_.path()), {}));
  }

  TempDir dir_;
};

TEST_F(UnfinishedFileTest, ItHasItsNameOnceItIsComplete) {
  RK_ASSERT_OK_AND_ASSIGN(UnfinishedFile file,
                          UnfinishedFile::Create(dir_ / "x", false));
  ASSERT_THAT(WriteFileAtomically(file.path(), "new"), IsOk());
  EXPECT_FALSE(PathExists(dir_ / "x"));
  ASSERT_THAT(file.Commit(), IsOk());
  EXPECT_EQ(*ReadFile(dir_ / "x"), "new");
  EXPECT_EQ(FilesIn(), 1);
}

TEST_F(UnfinishedFileTest, GivenUpItLeavesNothing) {
  {
    RK_ASSERT_OK_AND_ASSIGN(const UnfinishedFile file,
                            UnfinishedFile::Create(dir_ / "x", false));
    Fill(file);
  }
  EXPECT_EQ(FilesIn(), 0);
}

TEST_F(UnfinishedFileTest, AFileInItsPlaceIsReplacedOnlyIfAsked) {
  dir_.Write("x", "old");
  EXPECT_THAT(UnfinishedFile::Create(dir_ / "x", false),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("--force")));
  RK_ASSERT_OK_AND_ASSIGN(UnfinishedFile file,
                          UnfinishedFile::Create(dir_ / "x", true));
  ASSERT_THAT(WriteFileAtomically(file.path(), "new"), IsOk());
  EXPECT_EQ(*ReadFile(dir_ / "x"), "old");
  ASSERT_THAT(file.Commit(), IsOk());
  EXPECT_EQ(*ReadFile(dir_ / "x"), "new");
}

TEST_F(UnfinishedFileTest, AFileThatCameMeanwhileIsKept) {
  RK_ASSERT_OK_AND_ASSIGN(UnfinishedFile file,
                          UnfinishedFile::Create(dir_ / "x", false));
  ASSERT_THAT(WriteFileAtomically(file.path(), "new"), IsOk());
  dir_.Write("x", "theirs");
  EXPECT_THAT(file.Commit(), StatusIs(StatusCode::kAlreadyExists));
  EXPECT_EQ(*ReadFile(dir_ / "x"), "theirs");
}

TEST_F(UnfinishedFileTest, ASignalLeavesNothingAndEndsTheProcess) {
  EXPECT_EXIT(
      {
        const auto file = UnfinishedFile::Create(dir_ / "x", false);
        Fill(*file);
        raise(SIGTERM);
      },
      ::testing::ExitedWithCode(143), "");
  EXPECT_EQ(FilesIn(), 0);
}

}  // namespace
}  // namespace rekindle
