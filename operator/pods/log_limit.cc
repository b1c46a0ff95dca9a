#include "operator/pods/log_limit.h"

#include <algorithm>
#include <array>
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
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle::argo {
namespace {

using Buffer = std::array<char, 65536>;

std::string Note(uint64_t bytes, size_t most) {
  return absl::StrCat("rekindle: the first ", bytes,
                      " bytes of this log were dropped; at most ", most,
                      " are kept (--max-log-bytes)\n");
}

// The beginning of the first line from `from` on, if one begins soon.
off_t LineFrom(int fd, off_t from) {
  Buffer buffer;
  const ssize_t n = pread(fd, buffer.data(), buffer.size(), from);
  if (n <= 0) return from;
  const absl::string_view text(buffer.data(), static_cast<size_t>(n));
  const size_t end = text.find('\n');
  if (end == absl::string_view::npos) return from;
  return from + static_cast<off_t>(end) + 1;
}

// Moves the bytes from `from` to `end` towards the beginning, to `to`; returns
// where they end now.
absl::StatusOr<off_t> MoveDown(int fd, off_t from, off_t end, off_t to,
                               const std::string& path) {
  Buffer buffer;
  while (from < end) {
    const size_t size =
        std::min(buffer.size(), static_cast<size_t>(end - from));
    const ssize_t n = pread(fd, buffer.data(), size, from);
    if (n <= 0) break;
    if (pwrite(fd, buffer.data(), static_cast<size_t>(n), to) != n) {
      return ErrnoStatus(errno, "write", path);
    }
    from += n;
    to += n;
  }
  return to;
}

}  // namespace

absl::Status LimitLog(const std::string& path, size_t most,
                      DroppedLog& dropped) {
  const int fd =
      open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return absl::OkStatus();
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat info = {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<size_t>(info.st_size) <= most) {
    return absl::OkStatus();
  }
  const off_t size = info.st_size;
  const off_t from = LineFrom(fd, size - static_cast<off_t>(most / 2));
  dropped.bytes += static_cast<uint64_t>(from) - dropped.note;
  const std::string note = Note(dropped.bytes, most);
  dropped.note = note.size();
  if (pwrite(fd, note.data(), note.size(), 0) !=
      static_cast<ssize_t>(note.size())) {
    return ErrnoStatus(errno, "write", path);
  }
  RK_ASSIGN_OR_RETURN(
      const off_t end,
      MoveDown(fd, from, size, static_cast<off_t>(note.size()), path));
  // What was appended meanwhile goes, too; the next note tells of it.
  if (fstat(fd, &info) == 0 && info.st_size > size) {
    dropped.bytes += static_cast<uint64_t>(info.st_size - size);
  }
  if (ftruncate(fd, end) != 0) return ErrnoStatus(errno, "cut", path);
  return absl::OkStatus();
}

}  // namespace rekindle::argo
