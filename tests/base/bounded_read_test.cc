#include "base/bounded_read.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class BoundedReadTest : public ::testing::Test {
 protected:
  const TempDir dir_;
};

TEST_F(BoundedReadTest, AFileIsReadUpToItsLimit) {
  const std::string path = dir_.Write("f", "12345");
  EXPECT_EQ(*ReadRegularFile(path, 5), "12345");
  EXPECT_THAT(ReadRegularFile(path, 4),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("over 4 bytes")));
  EXPECT_EQ(*ReadFileStart(path, 2), "12");
  EXPECT_EQ(*ReadFileEnd(path, 2), "45");
  EXPECT_EQ(*ReadFileEnd(path, 9), "12345");
}

TEST_F(BoundedReadTest, NobodyIsWaitedForAtAPipe) {
  const std::string path = dir_ / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(ReadRegularFile(path, 10),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is a named pipe")));
}

TEST_F(BoundedReadTest, ADeviceAndAFolderAreNoFiles) {
  EXPECT_THAT(ReadFileStart("/dev/zero", 10),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is a device")));
  EXPECT_THAT(ReadFileEnd(dir_.path(), 10),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is a folder")));
  EXPECT_THAT(ReadFileEnd(dir_ / "none", 10),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace rekindle
