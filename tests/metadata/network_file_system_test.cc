// The store on file systems of a network, which this machine need not have: in
// this program statfs() says that the folder is on one.
#include <filesystem>

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace {
long file_system = EXT4_SUPER_MAGIC;  // what statfs() says
}  // namespace

// Stands in for the C library's, which comes later in the order of linking.
extern "C" int statfs(const char* /*file*/, struct statfs* buf) {
  *buf = {};
  buf->f_type = file_system;
  return 0;
}

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class NetworkFileSystemTest : public ::testing::TestWithParam<long> {};

TEST_P(NetworkFileSystemTest, IsRefusedUnlessAskedFor) {
  const TempDir folder;
  file_system = GetParam();
  EXPECT_THAT(OpenSqliteStore(folder / "store.db", SystemClock()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("network file system")));
  EXPECT_FALSE(std::filesystem::exists(folder / "store.db"));
  EXPECT_THAT(
      OpenSqliteStore(folder / "store.db", SystemClock(), {.unsafe = true}),
      IsOk());
}

INSTANTIATE_TEST_SUITE_P(FileSystems, NetworkFileSystemTest,
                         ::testing::Values(NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,
                                           SMB2_SUPER_MAGIC, CEPH_SUPER_MAGIC,
                                           AFS_SUPER_MAGIC, V9FS_MAGIC,
                                           0x0bd00bd0 /* Lustre */));

TEST(LocalFileSystemTest, IsTaken) {
  const TempDir folder;
  file_system = EXT4_SUPER_MAGIC;
  EXPECT_THAT(OpenSqliteStore(folder / "store.db", SystemClock()), IsOk());
}

}  // namespace
}  // namespace rekindle
