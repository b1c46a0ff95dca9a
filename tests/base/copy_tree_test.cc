#include "base/copy_tree.h"

#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class CopyTreeTest : public ::testing::Test {
 protected:
  const TempDir dir_;
  const std::string tree_ = dir_ / "tree";
  const std::string copy_ = dir_ / "copy";
};

TEST_F(CopyTreeTest, FilesFoldersAndLinksAreCopied) {
  dir_.Write("tree/a/b", "text");
  ASSERT_EQ(symlink("/nowhere", (tree_ + "/link").c_str()), 0);
  ASSERT_THAT(CopyPlainTree(tree_, copy_), IsOk());
  EXPECT_EQ(*ReadFile(copy_ + "/a/b"), "text");
  EXPECT_EQ(access((copy_ + "/link").c_str(), F_OK), -1);
}

TEST_F(CopyTreeTest, WhatNeverEndsIsNotCopied) {
  dir_.Write("tree/a/b", "text");
  ASSERT_EQ(mkfifo((tree_ + "/a/pipe").c_str(), 0600), 0);
  EXPECT_THAT(CopyPlainTree(tree_, copy_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("/a/pipe is a named pipe")));
  EXPECT_FALSE(PathExists(copy_));
  EXPECT_THAT(CheckPlainTree("/dev/zero"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("/dev/zero is a device")));
}

TEST_F(CopyTreeTest, WhatIsMovedIsGone) {
  dir_.Write("tree/a/b", "text");
  ASSERT_THAT(MovePlainTree(tree_, copy_), IsOk());
  EXPECT_EQ(*ReadFile(copy_ + "/a/b"), "text");
  EXPECT_FALSE(PathExists(tree_));
}

}  // namespace
}  // namespace rekindle
