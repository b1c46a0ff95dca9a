#include "base/copy_tree.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/bounded_read.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

absl::Status CheckEntry(const fs::path& path, fs::file_type type) {
  if (type == fs::file_type::regular || type == fs::file_type::directory ||
      type == fs::file_type::symlink || type == fs::file_type::not_found) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      path.string(), " is ", DescribeFileKind(path),
      ", which cannot be kept; write files, folders and links only"));
}

}  // namespace

absl::Status CheckPlainTree(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  RK_RETURN_IF_ERROR(CheckEntry(path, type));
  if (type != fs::file_type::directory) return absl::OkStatus();
  for (fs::recursive_directory_iterator at(path, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code gone;
    RK_RETURN_IF_ERROR(CheckEntry(at->path(), at->symlink_status(gone).type()));
  }
  if (error) return ErrnoStatus(error.value(), "list", path);
  return absl::OkStatus();
}

absl::Status CopyPlainTree(const std::string& from, const std::string& to) {
  RK_RETURN_IF_ERROR(CheckPlainTree(from));
  RK_RETURN_IF_ERROR(MakeDirs(fs::path(to).parent_path()));
  std::error_code error;
  fs::copy(from, to,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks,
           error);
  if (!error) return absl::OkStatus();
  return ErrnoStatus(error.value(), absl::StrCat("copy ", from, " to"), to);
}

absl::Status MovePlainTree(const std::string& from, const std::string& to) {
  RK_RETURN_IF_ERROR(MakeDirs(fs::path(to).parent_path()));
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return absl::OkStatus();
  RK_RETURN_IF_ERROR(CopyPlainTree(from, to));
  return RemoveTree(from);
}

}  // namespace rekindle
