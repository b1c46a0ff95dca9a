#include "component/contract/whole_file.h"

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
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

absl::Status IoError(absl::string_view verb, const std::string& path) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", verb, " '", path, "': ", std::strerror(errno)));
}

// A file descriptor that is closed on every path.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

absl::Status WriteAll(int fd, absl::string_view bytes,
                      const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return IoError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status WriteDurably(absl::string_view bytes, const std::string& path) {
  const File file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.fd() < 0) return IoError("create", path);
  RK_RETURN_IF_ERROR(WriteAll(file.fd(), bytes, path));
  if (fsync(file.fd()) != 0) return IoError("flush", path);
  return absl::OkStatus();
}

// Makes a rename inside the folder survive a power loss.
absl::Status SyncFolderOf(const std::string& path) {
  std::error_code failed;  // Leaves an empty path, which does not open.
  const std::string folder =
      std::filesystem::absolute(path, failed).parent_path().string();
  const File dir(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.fd() < 0) return IoError("open", folder);
  if (fsync(dir.fd()) != 0) return IoError("flush", folder);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat("there is no file '", path, "'"));
  }
  if (!file) return IoError("read", path);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return IoError("read", path);
  return bytes;
}

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  const std::string temporary = absl::StrCat(path, ".tmp-", getpid());
  absl::Status written = WriteDurably(bytes, temporary);
  if (written.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
    written = IoError("replace", path);
  }
  if (!written.ok()) {
    unlink(temporary.c_str());
    return written;
  }
  return SyncFolderOf(path);
}

}  // namespace rekindle
