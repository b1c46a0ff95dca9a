#include "base/status_util.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/cord.h"

namespace rekindle {
namespace {

TEST(StatusUtilTest, ContextAndNoteKeepTheCodeAndThePayload) {
  absl::Status status = absl::NotFoundError("no file");
  status.SetPayload("type/x", absl::Cord("payload"));
  const absl::Status wrapped =
      WithNote(WithContext(status, "input 'schema'"), "run schema-gen");
  EXPECT_EQ(wrapped.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(wrapped.message(), "input 'schema': no file (run schema-gen)");
  EXPECT_EQ(wrapped.GetPayload("type/x"), absl::Cord("payload"));
}

TEST(StatusUtilTest, OkStaysOk) {
  EXPECT_TRUE(WithContext(absl::OkStatus(), "x").ok());
  EXPECT_TRUE(WithNote(absl::OkStatus(), "x").ok());
}

TEST(StatusUtilTest, ErrnoMeansOneThing) {
  EXPECT_TRUE(absl::IsNotFound(ErrnoStatus(ENOENT, "read", "/x")));
  EXPECT_TRUE(absl::IsPermissionDenied(ErrnoStatus(EROFS, "write", "/x")));
  EXPECT_TRUE(absl::IsResourceExhausted(ErrnoStatus(ENOSPC, "write", "/x")));
  EXPECT_EQ(ErrnoStatus(ENOENT, "read", "/x").message(),
            "cannot read /x: No such file or directory");
}

}  // namespace
}  // namespace rekindle
