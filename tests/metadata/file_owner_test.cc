#include "metadata/api/file_owner.h"

#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;

class FileOwnerTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<FileOwner>> Own() {
    return FileOwner::Own(path_, clock_);
  }

  const TempDir folder_;
  const std::string path_ = folder_ / "metadata.db";
  FakeClock clock_ = FakeClock(
      absl::FromCivil(absl::CivilDay(2026, 11, 18), absl::UTCTimeZone()));
};

TEST_F(FileOwnerTest, ASecondOneIsToldWhoTheFirstIs) {
  RK_ASSERT_OK_AND_ASSIGN(const auto owner, Own());
  EXPECT_THAT(
      Own(),
      StatusIs(StatusCode::kFailedPrecondition,
               AllOf(HasSubstr(path_),
                     HasSubstr(absl::StrCat("process ", getpid(), " on host ")),
                     HasSubstr("since 2026-11-18T00:00:00Z"))));
  EXPECT_THAT(owner->Announce("127.0.0.1:8080"), IsOk());
  EXPECT_THAT(Own(), StatusIs(StatusCode::kFailedPrecondition,
                              HasSubstr("at 127.0.0.1:8080;")));
}

TEST_F(FileOwnerTest, TheNextOneComesWhenTheFirstIsGone) {
  RK_ASSERT_OK_AND_ASSIGN(auto owner, Own());
  owner.reset();
  RK_ASSERT_OK_AND_ASSIGN(owner, Own());
  EXPECT_THAT(Own(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_F(FileOwnerTest, AnotherFileHasAnotherOwner) {
  RK_ASSERT_OK_AND_ASSIGN(const auto owner, Own());
  EXPECT_THAT(FileOwner::Own(folder_ / "other.db", clock_), IsOk());
  EXPECT_THAT(FileOwner::Own(":memory:", clock_), IsOk());
  EXPECT_FALSE(std::filesystem::exists(":memory:-owner"));
}

TEST_F(FileOwnerTest, AMissingFolderIsNamed) {
  EXPECT_THAT(FileOwner::Own(folder_ / "absent/metadata.db", clock_),
              StatusIs(StatusCode::kNotFound, HasSubstr("absent")));
}

}  // namespace
}  // namespace rekindle
