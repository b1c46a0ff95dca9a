#include "base/file_util.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdio.h>   // rename
#include <stdlib.h>  // mkdtemp
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/copy_tree.h"
#include "base/durable_dirs.h"
#include "base/name_suffix.h"
#include "base/rename.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

std::string ParentOf(const std::string& path) {
  const std::string parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

absl::Status SyncPath(const std::string& path) {
  // Not to wait for the other end, should somebody have put a pipe there.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  if (fsync(fd) != 0) return ErrnoStatus(errno, "flush", path);
  return absl::OkStatus();
}

// Makes a file beside `path` under a name nobody else has, with the rights that
// the umask leaves; returns its descriptor and puts the name into `temp`.
absl::StatusOr<int> OpenTempBeside(const std::string& path, std::string* temp) {
  constexpr mode_t kAllButExecute = 0666;
  while (true) {
    *temp = absl::StrCat(path, ".", RandomNameSuffix());
    const int fd = open(temp->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                        kAllButExecute);
    if (fd >= 0) return fd;
    if (errno != EEXIST) return ErrnoStatus(errno, "write", path);
  }
}

// Tries in an empty folder whether another one can be filled and renamed.
absl::Status CheckRenaming(const std::string& folder) {
  std::string from = JoinPath(folder, "from");
  RK_RETURN_IF_ERROR(MakeDirs(from));
  std::string file;
  RK_ASSIGN_OR_RETURN(const int fd,
                      OpenTempBeside(JoinPath(from, "file"), &file));
  close(fd);
  const int error = TryRenameNoReplace(from, JoinPath(folder, "to"));
  if (error == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "folders in ", ParentOf(folder),
      " cannot be renamed: ", std::strerror(error),
      "; nothing could be published there; use a volume whose file system can "
      "rename folders"));
}

// The folders of the path that are not there, the innermost first.
std::vector<std::string> MissingFolders(const std::string& path) {
  std::vector<std::string> missing;
  std::error_code error;
  for (std::string folder(absl::StripSuffix(path, "/"));
       !folder.empty() && !fs::exists(folder, error);
       folder = ParentOf(folder)) {
    missing.push_back(folder);
  }
  return missing;
}

}  // namespace

bool PathExists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsEmptyFolder(const std::string& path) {
  std::error_code none;
  return fs::is_empty(path, none) && fs::is_directory(path, none);
}

std::string JoinPath(absl::string_view a, absl::string_view b) {
  if (a.empty()) return std::string(b);
  return absl::StrCat(absl::StripSuffix(a, "/"), "/",
                      absl::StripPrefix(b, "/"));
}

absl::Status MakeDirs(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return ErrnoStatus(error.value(), "make the folder", path);
  return absl::OkStatus();
}

absl::Status MakeDurableDirs(const std::string& path) {
  constexpr mode_t kAll = 0777;
  const std::vector<std::string> missing = MissingFolders(path);
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    if (mkdir(folder->c_str(), kAll) != 0 && errno != EEXIST) {
      return ErrnoStatus(errno, "make the folder", path);
    }
    RK_RETURN_IF_ERROR(SyncPath(ParentOf(*folder)));
  }
  std::error_code error;
  if (fs::is_directory(path, error)) return absl::OkStatus();
  return ErrnoStatus(ENOTDIR, "make the folder", path);
}

absl::Status MakeWritableDir(const std::string& path) {
  RK_RETURN_IF_ERROR(MakeDurableDirs(path));
  std::string pattern = JoinPath(path, ".rekindle-write-test-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr) {
    return ErrnoStatus(errno, "write into the folder", path);
  }
  const absl::Cleanup remove = [&pattern] {
    RemoveTree(pattern).IgnoreError();
  };
  return CheckRenaming(pattern);
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return ErrnoStatus(EISDIR, "read", path);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoStatus(errno, "read", path);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return ErrnoStatus(EIO, "read", path);
  return content;
}

absl::Status WriteAll(int fd, absl::string_view bytes,
                      const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "write", path);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content) {
  std::string temp;
  RK_ASSIGN_OR_RETURN(const int fd, OpenTempBeside(path, &temp));
  absl::Status written = WriteAll(fd, content, path);
  if (written.ok() && fsync(fd) != 0) {
    written = ErrnoStatus(errno, "flush", path);
  }
  close(fd);
  if (written.ok() && rename(temp.c_str(), path.c_str()) != 0) {
    written = ErrnoStatus(errno, "write", path);
  }
  if (!written.ok()) {
    unlink(temp.c_str());
    return written;
  }
  return SyncPath(ParentOf(path));
}

absl::Status SyncTree(const std::string& path) {
  RK_RETURN_IF_ERROR(CheckPlainTree(path));
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (auto it = fs::recursive_directory_iterator(path, error);
         !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
      if (it->is_symlink()) continue;
      RK_RETURN_IF_ERROR(SyncPath(it->path()));
    }
    if (error) return ErrnoStatus(error.value(), "list", path);
  }
  return SyncPath(path);
}

absl::Status RenameNoReplace(const std::string& from, const std::string& to) {
  if (const int error = TryRenameNoReplace(from, to); error != 0) {
    return ErrnoStatus(error, absl::StrCat("rename ", from, " to"), to);
  }
  return SyncPath(ParentOf(to));
}

absl::Status RenameReplacing(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) {
    return ErrnoStatus(errno, absl::StrCat("rename ", from, " to"), to);
  }
  return SyncPath(ParentOf(to));
}

absl::Status RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return ErrnoStatus(error.value(), "remove", path);
  return absl::OkStatus();
}

}  // namespace rekindle
