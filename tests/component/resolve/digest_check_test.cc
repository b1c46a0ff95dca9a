#include "component/resolve/digest_check.h"

#include <chrono>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/file_util.h"
#include "component/resolve/artifact_roots.h"
#include "metadata/api/values.h"
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

  FilesVerdict Check(FileCheck check = FileCheck::kTouched) {
    return CheckFiles(artifact_, {ArtifactRoots(dir_.path(), {}), check});
  }

  // Replaces the content by another of the same size, and sets the time of its
  // modification back.
  void Forge() {
    const std::string file = dir_ / "model/saved_model.pb";
    const auto time = std::filesystem::last_write_time(file);
    const size_t size = ReadFile(file)->size();
    dir_.Write("model/saved_model.pb", std::string(size, 'x'));
    std::filesystem::last_write_time(file, time);
  }

  TempDir dir_;
  ml_metadata::Artifact artifact_;
};

TEST_F(DigestCheckTest, UntouchedFilesAreUsable) {
  Record();
  EXPECT_TRUE(Check().usable);
}

TEST_F(DigestCheckTest, TouchedButEqualFilesAreUsable) {
  Record();
  std::filesystem::last_write_time(
      dir_ / "model/saved_model.pb",
      std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const FilesVerdict verdict = Check();
  EXPECT_TRUE(verdict.usable);
  EXPECT_EQ(verdict.reason, "digest matches");
}

TEST_F(DigestCheckTest, ChangedFilesAreNot) {
  Record();
  dir_.Write("model/saved_model.pb", "other weights");
  const FilesVerdict verdict = Check();
  EXPECT_FALSE(verdict.usable);
  EXPECT_THAT(verdict.reason, HasSubstr("its files changed"));
}

TEST_F(DigestCheckTest, AChangeThatKeepsSizeAndTimeIsFound) {
  Record();
  Forge();
  EXPECT_FALSE(Check().usable);
}

TEST_F(DigestCheckTest, AFingerprintWithoutTheTimeOfChangeIsNotTrusted) {
  Record();
  // As one was written before that time was part of it.
  (*artifact_.mutable_custom_properties())[kStatFingerprintProperty] =
      StringValue("sha256:of sizes and modification times");
  EXPECT_EQ(Check().reason, "digest matches");
  Forge();
  EXPECT_FALSE(Check().usable);
}

TEST_F(DigestCheckTest, AllFilesAreReadIfItIsAsked) {
  Record();
  EXPECT_EQ(Check().reason, "files unchanged since they were published");
  EXPECT_EQ(Check(FileCheck::kAll).reason, "digest matches");
}

TEST_F(DigestCheckTest, NothingIsTakenFromNowhere) {
  EXPECT_FALSE(CheckFiles(artifact_, FileRules{}).usable);
}

TEST_F(DigestCheckTest, MissingFilesAreNot) {
  Record();
  std::filesystem::remove_all(dir_ / "model");
  EXPECT_FALSE(Check().usable);
}

TEST_F(DigestCheckTest, WithoutADigestExistenceIsEnough) {
  const FilesVerdict verdict = Check();
  EXPECT_TRUE(verdict.usable);
  EXPECT_THAT(verdict.reason, HasSubstr("no digest was recorded"));
}

}  // namespace
}  // namespace rekindle
