// What can go wrong around a process, on demand, in whatever program preloads
// this (LD_PRELOAD). REKINDLE_FAULTS names a folder; while it holds
//
//   full          every write to a regular file fails: the disk is full
//   clock-offset  the clock of the day is off by the seconds written in it
//   no-flags      the file system does not know the flags of renameat2(), as a
//                 network file system
//
// Its own look into that folder goes by system calls, never by the functions it
// stands in for.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

namespace {

std::string FaultPath(const char* name) {
  const char* folder = std::getenv("REKINDLE_FAULTS");
  return folder == nullptr ? "" : std::string(folder) + "/" + name;
}

bool DiskIsFull(int fd) {
  struct stat file {};
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return false;
  const std::string flag = FaultPath("full");
  return !flag.empty() && syscall(SYS_access, flag.c_str(), F_OK) == 0;
}

bool KnowsNoFlags() {
  const std::string flag = FaultPath("no-flags");
  return !flag.empty() && syscall(SYS_access, flag.c_str(), F_OK) == 0;
}

int64_t ClockOffset() {
  const std::string path = FaultPath("clock-offset");
  if (path.empty()) return 0;
  const long fd = syscall(SYS_open, path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[32] = {};
  const long n = syscall(SYS_read, fd, text, sizeof(text) - 1);
  syscall(SYS_close, fd);
  return n > 0 ? std::strtoll(text, nullptr, 10) : 0;
}

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Nothing was written, and errno says why.
ssize_t NoRoom() {
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* buf, size_t n) {
  if (DiskIsFull(fd)) return NoRoom();
  return Real<ssize_t(int, const void*, size_t)>("write")(fd, buf, n);
}

ssize_t pwrite64(int fd, const void* buf, size_t n, off64_t offset) {
  if (DiskIsFull(fd)) return NoRoom();
  return Real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(
      fd, buf, n, offset);
}

int renameat2(int old_dir, const char* from, int new_dir, const char* to,
              unsigned int flags) noexcept {
  if (flags != 0 && KnowsNoFlags()) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(
      syscall(SYS_renameat2, old_dir, from, new_dir, to, flags));
}

int clock_gettime(clockid_t clock_id, struct timespec* tp) {
  const int result =
      Real<int(clockid_t, struct timespec*)>("clock_gettime")(clock_id, tp);
  if (clock_id == CLOCK_REALTIME) tp->tv_sec += ClockOffset();
  return result;
}

int gettimeofday(struct timeval* tv, void* tz) {
  const int result = Real<int(struct timeval*, void*)>("gettimeofday")(tv, tz);
  tv->tv_sec += ClockOffset();
  return result;
}
}
