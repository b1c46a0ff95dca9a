#include "metadata/api/file_owner.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

constexpr char kInMemory[] = ":memory:";
constexpr mode_t kReadableByAll = 0644;  // less what the umask takes

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

class Unlocked : public FileOwner {
 public:
  absl::Status Announce(absl::string_view /*address*/) override {
    return absl::OkStatus();
  }
};

class LockedFile : public FileOwner {
 public:
  LockedFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~LockedFile() override { close(fd_); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  // Whether the lock was free.
  absl::StatusOr<bool> Lock() const {
    while (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return false;
      if (errno != EINTR) return ErrnoStatus(errno, "lock", path_);
    }
    return true;
  }

  // Whether the file that was opened is the one that others find: it may have
  // been deleted in between.
  bool IsInPlace() const {
    struct stat ours = {};
    struct stat found = {};
    return fstat(fd_, &ours) == 0 && stat(path_.c_str(), &found) == 0 &&
           ours.st_dev == found.st_dev && ours.st_ino == found.st_ino;
  }

  // Writes who holds it: what Holder() reads.
  absl::Status Introduce(absl::Time since) {
    who_ = absl::StrCat(
        "process ", getpid(), " on host ", HostName(), ", since ",
        absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", since, absl::UTCTimeZone()));
    return Write(who_);
  }

  absl::Status Announce(absl::string_view address) override {
    return Write(absl::StrCat(who_, ", at ", address));
  }

  std::string Holder() const {
    const absl::StatusOr<std::string> text = ReadFile(path_);
    if (!text.ok() || text->empty()) return "another process";
    return std::string(absl::StripSuffix(*text, "\n"));
  }

 private:
  absl::Status Write(const std::string& who) {
    if (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0) {
      return ErrnoStatus(errno, "write", path_);
    }
    return WriteAll(fd_, absl::StrCat(who, "\n"), path_);
  }

  const std::string path_;
  const int fd_;
  std::string who_;
};

absl::StatusOr<std::unique_ptr<LockedFile>> Open(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kReadableByAll);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  return std::make_unique<LockedFile>(path, fd);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileOwner>> FileOwner::Own(
    const std::string& path, const Clock& clock) {
  if (path == kInMemory) return std::make_unique<Unlocked>();
  while (true) {
    RK_ASSIGN_OR_RETURN(std::unique_ptr<LockedFile> file,
                        Open(absl::StrCat(path, "-owner")));
    RK_ASSIGN_OR_RETURN(const bool locked, file->Lock());
    if (!locked) {
      return absl::FailedPreconditionError(absl::StrCat(
          "metadata database ", path, " is served already, by ", file->Holder(),
          "; use that server, stop it first, or serve with --read-only"));
    }
    if (!file->IsInPlace()) continue;
    RK_RETURN_IF_ERROR(file->Introduce(clock.Now()));
    return file;
  }
}

}  // namespace rekindle
