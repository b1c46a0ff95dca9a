#include "base/temporary_file.h"

#include <cerrno>
#include <filesystem>
#include <stdlib.h>  // mkstemp
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_util.h"

namespace rekindle {

absl::StatusOr<TemporaryFile> TemporaryFile::Create() {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error);
  if (error) return ErrnoStatus(error.value(), "find", "the folder in TMPDIR");
  std::string path = JoinPath(folder, "rekindle-XXXXXX");
  const int fd = mkstemp(path.data());
  if (fd < 0) return ErrnoStatus(errno, "make a file in", folder);
  return TemporaryFile(fd, std::move(path));
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      hidden_(other.hidden_) {}

TemporaryFile::~TemporaryFile() {
  if (fd_ < 0) return;
  close(fd_);
  if (!hidden_) unlink(path_.c_str());
}

void TemporaryFile::HideName() {
  unlink(path_.c_str());
  path_ = absl::StrCat("/proc/self/fd/", fd_);
  hidden_ = true;
}

absl::Status TemporaryFile::Append(absl::string_view bytes) {
  return WriteAll(fd_, bytes, path_);
}

}  // namespace rekindle
