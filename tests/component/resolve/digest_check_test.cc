#include "component/resolve/digest_check.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file_util.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class DigestCheckTest : public ::testing::Test {
 protected:
  DigestCheckTest() {
    dir_.Write("model/saved_model.pb", "weights");
    artifact_.set_uri(dir_ / "model");
  }

  void Record() { RecordDigest(*DigestTree(artifact_.uri()), artifact_); }

  TempDir dir_;
  ml_metadata::Artifact artifact_;
};

TEST_F(DigestCheckTest, UntouchedFilesAreUsable) {
  Record();
  EXPECT_TRUE(CheckFiles(artifact_).usable);
}

TEST_F(DigestCheckTest, TouchedButEqualFilesAreUsable) {
  Record();
  std::filesystem::last_write_time(
      dir_ / "model/saved_model.pb",
      std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const FilesVerdict verdict = CheckFiles(artifact_);
  EXPECT_TRUE(verdict.usable);
  EXPECT_EQ(verdict.reason, "digest matches");
}

TEST_F(DigestCheckTest, ChangedFilesAreNot) {
  Record();
  dir_.Write("model/saved_model.pb", "other weights");
  const FilesVerdict verdict = CheckFiles(artifact_);
  EXPECT_FALSE(verdict.usable);
  EXPECT_THAT(verdict.reason, HasSubstr("its files changed"));
}

TEST_F(DigestCheckTest, AChangeThatAStatDoesNotShowIsFoundByReading) {
  Record();
  const auto time =
      std::filesystem::last_write_time(dir_ / "model/saved_model.pb");
  const std::string content = *ReadFile(dir_ / "model/saved_model.pb");
  dir_.Write("model/saved_model.pb", std::string(content.size(), 'x'));
  std::filesystem::last_write_time(dir_ / "model/saved_model.pb", time);
  EXPECT_TRUE(CheckFiles(artifact_).usable);
  EXPECT_FALSE(CheckFiles(artifact_, FileCheck::kAll).usable);
}

TEST_F(DigestCheckTest, MissingFilesAreNot) {
  Record();
  std::filesystem::remove_all(dir_ / "model");
  EXPECT_FALSE(CheckFiles(artifact_).usable);
}

TEST_F(DigestCheckTest, WithoutADigestExistenceIsEnough) {
  const FilesVerdict verdict = CheckFiles(artifact_);
  EXPECT_TRUE(verdict.usable);
  EXPECT_THAT(verdict.reason, HasSubstr("no digest was recorded"));
}

}  // namespace
}  // namespace rekindle
