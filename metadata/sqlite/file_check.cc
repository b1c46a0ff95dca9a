#include "metadata/sqlite/file_check.h"

#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

// Not in <linux/magic.h>.
constexpr unsigned long kCifs = 0xff534d42;
constexpr unsigned long kLustre = 0x0bd00bd0;
constexpr unsigned long kGpfs = 0x47504653;

bool IsNetworkFileSystem(const std::string& folder) {
  struct statfs fs = {};
  if (statfs(folder.c_str(), &fs) != 0) return false;
  switch (static_cast<unsigned long>(fs.f_type)) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case V9FS_MAGIC:
    case kCifs:
    case kLustre:
    case kGpfs:
      return true;
    default:
      return false;
  }
}

absl::Status CheckFolder(const std::string& path, const std::string& folder,
                         Database::Mode mode, bool allow_network) {
  if (!std::filesystem::is_directory(folder)) {
    return absl::NotFoundError(absl::StrCat("metadata database ", path,
                                            ": there is no folder ", folder,
                                            "; create it first"));
  }
  if (!allow_network && IsNetworkFileSystem(folder)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "metadata database ", path, " is on a network file system, where ",
        "SQLite's locks are not reliable; move it to a local disk, or use a ",
        "metadata server"));
  }
  // SQLite keeps its journal beside the database.
  if (mode != Database::Mode::kReadOnly && access(folder.c_str(), W_OK) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "metadata database ", path, ": the folder ", folder,
        " is not writable by user ", getuid(),
        "; change its permissions, or open the database ", "read-only"));
  }
  return absl::OkStatus();
}

absl::Status CheckExistingFile(const std::string& path, Database::Mode mode) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is not a file; name the file of a metadata database"));
  }
  const bool read_only = mode == Database::Mode::kReadOnly;
  if (access(path.c_str(), read_only ? R_OK : R_OK | W_OK) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "metadata database ", path, " is not ",
        read_only ? "readable" : "writable", " by user ", getuid(),
        "; change its permissions", read_only ? "" : ", or open it read-only"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDatabaseFile(const std::string& path, Database::Mode mode,
                               bool allow_network) {
  std::error_code error;  // there may be no working directory any more
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  const std::string folder = error ? "." : full.parent_path().string();
  const bool exists = access(path.c_str(), F_OK) == 0;
  if (!exists && mode != Database::Mode::kCreate) {
    return absl::NotFoundError(
        absl::StrCat("there is no metadata database at ", path,
                     "; check the path, or run a step to create it"));
  }
  if (std::filesystem::is_directory(path)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is a folder; name the file of a metadata ", "database in it"));
  }
  RK_RETURN_IF_ERROR(CheckFolder(path, folder, mode, allow_network));
  return exists ? CheckExistingFile(path, mode) : absl::OkStatus();
}

}  // namespace rekindle
