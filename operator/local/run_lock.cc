#include "operator/local/run_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_util.h"

namespace rekindle::argo {
namespace {

struct flock WholeFile() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// "process 123", as far as the kernel tells us.
std::string Holder(int fd) {
  struct flock lock = WholeFile();
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK ||
      lock.l_pid <= 0) {
    return "another process";
  }
  return absl::StrCat("process ", lock.l_pid);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunLock>> RunLock::Take(
    const std::string& folder) {
  const std::string path = JoinPath(folder, "lock");
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           0644);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  std::unique_ptr<RunLock> taken(new RunLock(fd));
  // A lock of the process, not of the descriptor: no child inherits it, and the
  // kernel knows whose it is.
  struct flock lock = WholeFile();
  if (fcntl(fd, F_SETLK, &lock) == 0) return taken;
  if (errno != EACCES && errno != EAGAIN) {
    return ErrnoStatus(errno, "lock", path);
  }
  return absl::AbortedError(
      absl::StrCat("the run in ", folder, " is under way: ", Holder(fd),
                   " runs it; wait for its end, or stop it"));
}

RunLock::~RunLock() { close(fd_); }

}  // namespace rekindle::argo
