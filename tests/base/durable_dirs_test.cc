#include "base/durable_dirs.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What was flushed, by its path.
std::vector<std::string>& Flushed() {
  static auto& flushed = *new std::vector<std::string>();
  return flushed;
}

}  // namespace
}  // namespace rekindle

// In place of the C library's, in this program.
extern "C" int fsync(int fd) {
  std::error_code error;
  rekindle::Flushed().push_back(
      std::filesystem::read_symlink(absl::StrCat("/proc/self/fd/", fd), error));
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace rekindle {
namespace {

class DurableDirsTest : public ::testing::Test {
 protected:
  DurableDirsTest() { Flushed().clear(); }

  TempDir dir_;
};

TEST_F(DurableDirsTest, TheParentOfEachNewFolderIsFlushed) {
  EXPECT_THAT(MakeDurableDirs(dir_ / "a/b/"), IsOk());
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "a/b"));
  EXPECT_THAT(Flushed(), ElementsAre(dir_.path(), dir_ / "a"));
}

TEST_F(DurableDirsTest, WhatIsThereCostsNothing) {
  ASSERT_THAT(MakeDirs(dir_ / "a/b"), IsOk());
  EXPECT_THAT(MakeDurableDirs(dir_ / "a/b"), IsOk());
  EXPECT_THAT(Flushed(), IsEmpty());
}

TEST_F(DurableDirsTest, AFileInTheWayIsAnError) {
  dir_.Write("a", "");
  EXPECT_THAT(MakeDurableDirs(dir_ / "a"),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(MakeDurableDirs(dir_ / "a/b"),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(DurableDirsTest, AFileThatIsWrittenWholeHasTheRightsOfTheUmask) {
  const mode_t before = umask(0027);
  const absl::Status written = WriteFileAtomically(dir_ / "file", "x");
  umask(before);
  ASSERT_THAT(written, IsOk());
  struct stat info = {};
  ASSERT_EQ(stat((dir_ / "file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640);
}

}  // namespace
}  // namespace rekindle
