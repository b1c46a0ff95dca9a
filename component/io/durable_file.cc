#include "component/io/durable_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

absl::Status IoError(std::string_view verb, const std::string& path,
                     int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", verb, " '", path, "': ", std::strerror(error)));
}

}  // namespace

absl::Status SyncFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return IoError("open", path, errno);
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error == 0 ? absl::OkStatus() : IoError("flush", path, error);
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? IoError("create folder", path, error.value())
               : absl::OkStatus();
}

}  // namespace rekindle
