// Renaming on a file system that does not know the flags of renameat2(), as
// network file systems do not: this program's own renameat2() refuses them.
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace {

std::atomic<int> refuse_flags_with = 0;  // an errno; 0: take them

}  // namespace

extern "C" int renameat2(int old_dir, const char* from, int new_dir,
                         const char* to, unsigned int flags) noexcept {
  if (flags != 0 && refuse_flags_with != 0) {
    errno = refuse_flags_with;
    return -1;
  }
  return static_cast<int>(
      syscall(SYS_renameat2, old_dir, from, new_dir, to, flags));
}

namespace rekindle {
namespace {

// Every way, on file systems that know the flag and on those that do not.
class RenameTest : public ::testing::TestWithParam<int> {
 protected:
  RenameTest() { refuse_flags_with = GetParam(); }
  ~RenameTest() override { refuse_flags_with = 0; }

  TempDir dir_;
};

TEST_P(RenameTest, MovesAFolderToWhereNothingIs) {
  dir_.Write("from/x", "new");
  EXPECT_THAT(RenameNoReplace(dir_ / "from", dir_ / "to"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "to/x").value_or("nothing"), "new");
  EXPECT_FALSE(PathExists(dir_ / "from"));
  EXPECT_FALSE(PathExists(dir_ / ".renaming-to"));
}

TEST_P(RenameTest, ReplacesNoFolderNotEvenAnEmptyOne) {
  dir_.Write("from/x", "new");
  dir_.Write("full/x", "old");
  ASSERT_THAT(MakeDirs(dir_ / "empty"), IsOk());
  for (const char* to : {"full", "empty"}) {
    EXPECT_THAT(RenameNoReplace(dir_ / "from", dir_ / to),
                StatusIs(absl::StatusCode::kAlreadyExists));
  }
  EXPECT_EQ(ReadFile(dir_ / "full/x").value_or("nothing"), "old");
  EXPECT_TRUE(IsEmptyFolder(dir_ / "empty"));
  EXPECT_EQ(ReadFile(dir_ / "from/x").value_or("nothing"), "new");
}

TEST_P(RenameTest, ReplacesNeitherAFileNorALink) {
  dir_.Write("from/x", "new");
  dir_.Write("file", "old");
  ASSERT_EQ(symlink("nowhere", (dir_ / "link").c_str()), 0);
  for (const char* to : {"file", "link"}) {
    EXPECT_THAT(RenameNoReplace(dir_ / "from", dir_ / to),
                StatusIs(absl::StatusCode::kAlreadyExists));
    EXPECT_THAT(RenameNoReplace(dir_ / "from/x", dir_ / to),
                StatusIs(absl::StatusCode::kAlreadyExists));
  }
  EXPECT_EQ(ReadFile(dir_ / "file").value_or("nothing"), "old");
}

TEST_P(RenameTest, MovesAFile) {
  dir_.Write("from", "new");
  EXPECT_THAT(RenameNoReplace(dir_ / "from", dir_ / "to"), IsOk());
  EXPECT_EQ(ReadFile(dir_ / "to").value_or("nothing"), "new");
  EXPECT_FALSE(PathExists(dir_ / "from"));
}

TEST_P(RenameTest, NamesWhatIsMissing) {
  EXPECT_THAT(RenameNoReplace(dir_ / "none", dir_ / "to"),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(RenameTest, OfManyWhoWantThePlaceOneGetsIt) {
  constexpr int kRounds = 50;
  constexpr int kRacers = 4;
  for (int round = 0; round < kRounds; ++round) {
    const std::string to = dir_ / absl::StrCat("to-", round);
    std::vector<std::string> from;
    for (int i = 0; i < kRacers; ++i) {
      // Empty ones too: rename() would replace those.
      from.push_back(dir_ / absl::StrCat("from-", round, "-", i));
      ASSERT_THAT(MakeDirs(from.back()), IsOk());
      if (i % 2 == 1)
        dir_.Write(absl::StrCat("from-", round, "-", i, "/x"), "");
    }
    std::atomic<int> won = 0;
    std::vector<std::thread> racers;
    for (const std::string& one : from) {
      racers.emplace_back(
          [&won, &to, &one] { won += RenameNoReplace(one, to).ok() ? 1 : 0; });
    }
    for (std::thread& racer : racers) racer.join();
    int left = 0;
    for (const std::string& one : from) left += PathExists(one) ? 1 : 0;
    EXPECT_EQ(won, 1);
    EXPECT_EQ(left, kRacers - 1);
  }
}

TEST_P(RenameTest, AFolderThatCanBePublishedInIsWritable) {
  EXPECT_THAT(MakeWritableDir(dir_ / "root/node"), IsOk());
  EXPECT_TRUE(IsEmptyFolder(dir_ / "root/node")) << "nothing is left there";
}

INSTANTIATE_TEST_SUITE_P(Flags, RenameTest,
                         ::testing::Values(0, EINVAL, ENOSYS, EOPNOTSUPP),
                         [](const auto& test) {
                           return absl::StrCat("Errno", test.param);
                         });

TEST(MakeWritableDirTest, SaysSoBeforeTheWorkIfFoldersCannotBeRenamed) {
  TempDir dir;
  refuse_flags_with = EXDEV;  // no errno of a flag that is not known
  const absl::Status made = MakeWritableDir(dir / "root");
  refuse_flags_with = 0;
  EXPECT_THAT(made, StatusIs(absl::StatusCode::kFailedPrecondition,
                             ::testing::AllOf(
                                 ::testing::HasSubstr(dir / "root"),
                                 ::testing::HasSubstr("cannot be renamed"))));
}

}  // namespace
}  // namespace rekindle
