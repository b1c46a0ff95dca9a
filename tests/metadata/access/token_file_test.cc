#include "metadata/server/access/token_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/server/access/access_list.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kLine[] = "cert:ci reader\n";

class TokenFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text) {
    std::string path = dir_.Write("tokens", text);
    chmod(path.c_str(), 0600);
    return path;
  }
  absl::StatusOr<std::unique_ptr<TokenFile>> Open() {
    return TokenFile::Open(
        dir_ / "tokens", clock_,
        [this](absl::string_view s) { said_.emplace_back(s); });
  }
  static bool Knows(TokenFile& file, const std::string& name) {
    return file.Current()
        ->FindCertificate({name}, absl::FromUnixSeconds(0))
        .has_value();
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixSeconds(1'000'000)};
  std::vector<std::string> said_;
};

TEST_F(TokenFileTest, IsReadAgainWhenASecondIsOver) {
  Write(kLine);
  RK_ASSERT_OK_AND_ASSIGN(const auto file, Open());
  Write("cert:new reader\n");
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_TRUE(Knows(*file, "ci"));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_FALSE(Knows(*file, "ci"));
  EXPECT_TRUE(Knows(*file, "new"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(TokenFileTest, IsReadAgainWhenTheClockIsSetBack) {
  Write(kLine);
  RK_ASSERT_OK_AND_ASSIGN(const auto file, Open());
  Write("");
  clock_.Advance(-absl::Hours(1));
  EXPECT_FALSE(Knows(*file, "ci"));
}

TEST_F(TokenFileTest, AFileThatIsReplacedByALinkIsRead) {
  Write(kLine);
  RK_ASSERT_OK_AND_ASSIGN(const auto file, Open());
  // As the kubelet does with a Secret.
  dir_.Write("..data/tokens", "cert:linked reader\n");
  std::filesystem::create_symlink("..data/tokens", dir_ / "next");
  std::filesystem::rename(dir_ / "next", dir_ / "tokens");
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(Knows(*file, "linked"));
}

TEST_F(TokenFileTest, WhatItSaidBeforeStaysWhileItCannotBeRead) {
  Write(kLine);
  RK_ASSERT_OK_AND_ASSIGN(const auto file, Open());
  Write("cert:ci\n");
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Seconds(1));
    EXPECT_TRUE(Knows(*file, "ci"));
  }
  EXPECT_THAT(said_, ElementsAre(HasSubstr("line 1")));
  EXPECT_THAT(file->state(), StatusIs(StatusCode::kInvalidArgument));

  std::filesystem::remove(dir_ / "tokens");
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(Knows(*file, "ci"));
  EXPECT_EQ(said_.size(), 2);

  Write("");
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(Knows(*file, "ci"));
  EXPECT_THAT(file->state(), IsOk());
}

TEST_F(TokenFileTest, AFileThatOthersMayWriteIsRefused) {
  const std::string path = Write(kLine);
  for (const mode_t mode : {0620, 0602, 0666}) {
    chmod(path.c_str(), mode);
    EXPECT_THAT(Open(), StatusIs(StatusCode::kFailedPrecondition,
                                 HasSubstr("chmod go-w")));
  }
  chmod(path.c_str(), 0644);
  EXPECT_THAT(Open(), IsOk());
}

TEST_F(TokenFileTest, WhatIsNoFileIsRefused) {
  EXPECT_THAT(Open(), StatusIs(StatusCode::kNotFound));
  std::filesystem::create_directory(dir_ / "tokens");
  EXPECT_THAT(Open(), StatusIs(StatusCode::kInvalidArgument));
  std::filesystem::remove(dir_ / "tokens");
  ASSERT_EQ(mkfifo((dir_ / "tokens").c_str(), 0600), 0);
  EXPECT_THAT(Open(), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace rekindle
