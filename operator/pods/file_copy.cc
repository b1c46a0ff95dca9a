#include "operator/pods/file_copy.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle::argo {

namespace fs = std::filesystem;

absl::Status CopyTree(const std::string& from, const std::string& to) {
  RK_RETURN_IF_ERROR(MakeDirs(fs::path(to).parent_path()));
  std::error_code error;
  fs::copy(from, to,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks,
           error);
  if (!error) return absl::OkStatus();
  return ErrnoStatus(error.value(), absl::StrCat("copy ", from, " to"), to);
}

absl::Status MoveTree(const std::string& from, const std::string& to) {
  RK_RETURN_IF_ERROR(MakeDirs(fs::path(to).parent_path()));
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return absl::OkStatus();
  RK_RETURN_IF_ERROR(CopyTree(from, to));
  return RemoveTree(from);
}

}  // namespace rekindle::argo
