#include "base/bounded_read.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

const char* KindName(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a folder";
    case S_IFLNK:
      return "a link";
    case S_IFIFO:
      return "a named pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

absl::Status NotRegular(const std::string& path, const char* kind) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is ", kind, "; a regular file is expected"));
}

// An open regular file.
absl::StatusOr<int> OpenRegular(const std::string& path, struct stat& info) {
  // Without O_NONBLOCK a pipe that nobody writes to would hold us here.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENXIO) {
    return NotRegular(path, DescribeFileKind(path).c_str());
  }
  if (fd < 0) return ErrnoStatus(errno, "read", path);
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
  close(fd);
  return NotRegular(path, KindName(info.st_mode));
}

// At most `most` bytes from where the file is read now.
absl::StatusOr<std::string> ReadAtMost(int fd, const std::string& path,
                                       size_t most) {
  constexpr size_t kChunk = 65536;
  std::string text;
  while (text.size() < most) {
    const size_t had = text.size();
    text.resize(had + std::min(kChunk, most - had));
    const ssize_t n = read(fd, text.data() + had, text.size() - had);
    text.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", path);
    if (n == 0) break;
  }
  return text;
}

}  // namespace

std::string DescribeFileKind(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 ? KindName(info.st_mode) : "nothing";
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            size_t most) {
  struct stat info = {};
  RK_ASSIGN_OR_RETURN(const int fd, OpenRegular(path, info));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  RK_ASSIGN_OR_RETURN(std::string text, ReadAtMost(fd, path, most + 1));
  if (text.size() <= most) return text;
  return absl::ResourceExhaustedError(
      absl::StrCat(path, " has over ", most, " bytes"));
}

absl::StatusOr<std::string> ReadFileStart(const std::string& path,
                                          size_t most) {
  struct stat info = {};
  RK_ASSIGN_OR_RETURN(const int fd, OpenRegular(path, info));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  return ReadAtMost(fd, path, most);
}

absl::StatusOr<std::string> ReadFileEnd(const std::string& path, size_t most) {
  struct stat info = {};
  RK_ASSIGN_OR_RETURN(const int fd, OpenRegular(path, info));
  const absl::Cleanup close_fd = [fd] { close(fd); };
  const off_t from = info.st_size - static_cast<off_t>(most);
  if (from > 0) lseek(fd, from, SEEK_SET);
  return ReadAtMost(fd, path, most);
}

}  // namespace rekindle
