#include "base/rename.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <stdio.h>  // renameat2
#include <string>
#include <unistd.h>

#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

// How a system call ended: 0, or errno.
int Outcome(int result) { return result == 0 ? 0 : errno; }

bool IsFolder(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsThere(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

// A link never replaces.
int LinkFile(const std::string& from, const std::string& to) {
  const int linked = Outcome(link(from.c_str(), to.c_str()));
  return linked != 0 ? linked : Outcome(unlink(from.c_str()));
}

// rename() replaces an empty folder, and nothing else. Whoever makes the folder
// `.renaming-NAME` is the one that may look whether there is one, and rename.
// If it dies in between, the name stays taken.
int RenameAlone(const std::string& from, const std::string& to) {
  const fs::path target(to);
  const std::string lock =
      target.parent_path() /
      absl::StrCat(".renaming-", target.filename().string());
  constexpr mode_t kOwnerOnly = 0700;
  if (mkdir(lock.c_str(), kOwnerOnly) != 0) return errno;
  const absl::Cleanup unlock = [&lock] { rmdir(lock.c_str()); };
  if (IsThere(to)) return EEXIST;
  const int renamed = Outcome(rename(from.c_str(), to.c_str()));
  return renamed == ENOTEMPTY || renamed == ENOTDIR ? EEXIST : renamed;
}

// Network file systems and others do not know RENAME_NOREPLACE.
int RenameWithoutFlag(const std::string& from, const std::string& to) {
  return IsFolder(from) ? RenameAlone(from, to) : LinkFile(from, to);
}

}  // namespace

int TryRenameNoReplace(const std::string& from, const std::string& to) {
  const int renamed = Outcome(renameat2(AT_FDCWD, from.c_str(), AT_FDCWD,
                                        to.c_str(), RENAME_NOREPLACE));
  const bool unknown =
      renamed == EINVAL || renamed == ENOSYS || renamed == EOPNOTSUPP;
  return unknown ? RenameWithoutFlag(from, to) : renamed;
}

}  // namespace rekindle
