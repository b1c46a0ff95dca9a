// The calls of libc that change files, for the whole program: those of a
// simulated process pass by its world first, where others may go on and things
// go wrong. Nothing is flushed: the world ends with this process.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "absl/strings/string_view.h"
#include "tests/simulation/world.h"

namespace {

using rekindle::simulation::World;

// Whether the call may be made; if not, errno says why.
bool MayGo(absl::string_view call, const char* path) {
  World* const world = World::Current();
  if (world == nullptr) return true;
  const int error = world->BeforeFileCall(call, path);
  if (error != 0) errno = error;
  return error == 0;
}

bool Changes(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }

int OpenAt(int folder, const char* path, int flags, mode_t mode) {
  if (Changes(flags) && !MayGo("open", path)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

int RenameAt(int from_folder, const char* from, int to_folder, const char* to,
             unsigned int flags) {
  if (!MayGo("rename to", to)) return -1;
  return static_cast<int>(
      syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int UnlinkAt(int folder, const char* path, int flags) {
  if (!MayGo("remove", path)) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

int MkdirAt(int folder, const char* path, mode_t mode) {
  if (!MayGo("mkdir", path)) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, folder, path, mode));
}

int LinkAt(int from_folder, const char* from, int to_folder, const char* to,
           int flags) {
  if (!MayGo("link to", to)) return -1;
  return static_cast<int>(
      syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return OpenAt(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return OpenAt(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return OpenAt(folder, path, flags, mode);
}

int rename(const char* from, const char* to) noexcept {
  return RenameAt(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) noexcept {
  return RenameAt(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept { return UnlinkAt(AT_FDCWD, path, 0); }

int rmdir(const char* path) noexcept {
  return UnlinkAt(AT_FDCWD, path, AT_REMOVEDIR);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return UnlinkAt(folder, path, flags);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return MkdirAt(AT_FDCWD, path, mode);
}

int link(const char* from, const char* to) noexcept {
  return LinkAt(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to,
           int flags) noexcept {
  return LinkAt(from_folder, from, to_folder, to, flags);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  constexpr int kStandardError = 2;
  if (fd > kStandardError && !MayGo("write", "")) return -1;
  return syscall(SYS_write, fd, bytes, size);
}

int fsync(int /*fd*/) { return MayGo("flush", "") ? 0 : -1; }

}  // extern "C"
