#include "component/io/durable_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

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

absl::Status WriteFileAtomically(const std::string& path,
                                 std::string_view bytes) {
  const std::string temporary = absl::StrCat(path, ".tmp-", getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return IoError("write", path, errno);
  RK_RETURN_IF_ERROR(SyncFile(temporary));
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return IoError("replace", path, errno);
  }
  return SyncFile(std::filesystem::path(path).parent_path().string());
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no file '", path, "'"));
  }
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad()) return IoError("read", path, errno);
  return bytes;
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? IoError("create folder", path, error.value())
               : absl::OkStatus();
}

}  // namespace rekindle
