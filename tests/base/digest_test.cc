#include "base/digest.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "base/path_fence.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

TEST(Sha256Test, AgreesWithThePublishedVectors) {
  Sha256 empty;
  EXPECT_EQ(empty.HexDigest(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 abc;
  abc.Update("a");
  abc.Update("bc");
  EXPECT_EQ(abc.HexDigest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, FieldsOfDifferentLengthsDoNotCollide) {
  Sha256 first;
  first.UpdateField("ab");
  first.UpdateField("c");
  Sha256 second;
  second.UpdateField("a");
  second.UpdateField("bc");
  EXPECT_NE(first.HexDigest(), second.HexDigest());
}

class TreeDigestTest : public ::testing::Test {
 protected:
  TreeDigest Digest() const {
    const auto digest = DigestTree(dir_.path());
    EXPECT_TRUE(digest.ok()) << digest.status();
    return *digest;
  }

  TempDir dir_;
};

TEST_F(TreeDigestTest, DependsOnNamesAndContentsOnly) {
  dir_.Write("a/x", "1");
  dir_.Write("b", "22");
  const TreeDigest digest = Digest();
  EXPECT_EQ(digest.files, 2);
  EXPECT_EQ(digest.bytes, 3);

  TempDir other;
  other.Write("b", "22");
  other.Write("a/x", "1");
  EXPECT_EQ(DigestTree(other.path())->digest, digest.digest);
}

TEST_F(TreeDigestTest, ChangesWithAContentANameOrAMissingFile) {
  dir_.Write("a", "1");
  const std::string before = Digest().digest;
  dir_.Write("a", "2");
  const std::string changed = Digest().digest;
  EXPECT_NE(changed, before);
  std::filesystem::rename(dir_ / "a", dir_ / "b");
  EXPECT_NE(Digest().digest, changed);
}

TEST_F(TreeDigestTest, StatFingerprintSurvivesARenameAndNoticesAWrite) {
  dir_.Write("model/a", "1");
  const std::string before = DigestTree(dir_ / "model")->stat_fingerprint;
  std::filesystem::rename(dir_ / "model", dir_ / "final");
  EXPECT_EQ(*StatFingerprint(dir_ / "final"), before);
  dir_.Write("final/a", "12");
  EXPECT_NE(*StatFingerprint(dir_ / "final"), before);
}

TEST_F(TreeDigestTest, StatFingerprintNoticesAForgedModificationTime) {
  const std::string file = dir_.Write("a", "1");
  const std::string before = *StatFingerprint(dir_.path());
  const auto time = std::filesystem::last_write_time(file);
  dir_.Write("a", "2");
  std::filesystem::last_write_time(file, time);
  EXPECT_NE(*StatFingerprint(dir_.path()), before);
}

TEST_F(TreeDigestTest, FollowsNoLinkOutOfTheFence) {
  dir_.Write("in/a", "1");
  dir_.Write("out/b", "2");
  std::filesystem::create_symlink(dir_ / "out", dir_ / "in/link");
  EXPECT_THAT(DigestTree(dir_ / "in"), IsOk());
  const PathFence fence({dir_ / "in"});
  EXPECT_THAT(DigestTree(dir_ / "in", fence),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is a link to")));
  EXPECT_THAT(StatFingerprint(dir_ / "in", fence),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(TreeDigestTest, APipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {dir_.path(), dir_ / "pipe"}) {
    EXPECT_THAT(DigestTree(path),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
}

TEST_F(TreeDigestTest, NothingThereIsNotFound) {
  EXPECT_THAT(DigestTree(dir_ / "none"),
              StatusIs(absl::StatusCode::kNotFound,
                       ::testing::HasSubstr(dir_ / "none")));
}

}  // namespace
}  // namespace rekindle
