#include "metadata/sqlite/buffered_log.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <sqlite3.h>
#include <string>

namespace rekindle {
namespace {

constexpr char kName[] = "rekindle-buffered-log";

// SQLite's own files take no more than 128 KiB by one call.
constexpr size_t kMaxBuffer = 1 << 16;

// How far the file is made longer at a time: as much as it has, within these.
constexpr sqlite3_int64 kLeastGrowth = 1 << 15;
constexpr sqlite3_int64 kMostGrowth = 1 << 20;

sqlite3_vfs* DefaultVfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

// An open log. SQLite gives the memory, the real file is behind it.
struct Log : sqlite3_file {
  sqlite3_file* real = nullptr;
  std::string buffer = {};   // written, and not in the file yet,
  sqlite3_int64 offset = 0;  // where it belongs
  sqlite3_int64 size = 0;    // of the file, as far as this log has made it

  int Flush() {
    if (buffer.empty()) return SQLITE_OK;
    const sqlite3_int64 end =
        offset + static_cast<sqlite3_int64>(buffer.size());
    const int result = real->pMethods->xWrite(
        real, buffer.data(), static_cast<int>(buffer.size()), offset);
    buffer.clear();
    if (result == SQLITE_OK && end > size) Grow(end);
    return result;
  }

  // Writes zeros behind what ends at `end`, so that the commits to come find
  // their place in the file: one that does not change the file's size is made
  // durable sooner. Zeros are no frame, a reader of the log stops there. A disk
  // that has no room for them has it for what was written.
  void Grow(sqlite3_int64 end) {
    static const std::string& zeros = *new std::string(kMaxBuffer, '\0');
    // Others may have made it longer.
    if (real->pMethods->xFileSize(real, &size) != SQLITE_OK || end < size) {
      return;
    }
    const sqlite3_int64 wanted =
        end + std::clamp(end, kLeastGrowth, kMostGrowth);
    for (size = end; size < wanted;) {
      const auto part =
          std::min<sqlite3_int64>(wanted - size, std::ssize(zeros));
      if (real->pMethods->xWrite(real, zeros.data(), static_cast<int>(part),
                                 size) != SQLITE_OK) {
        return;
      }
      size += part;
    }
  }
};

Log& LogOf(sqlite3_file* file) { return *static_cast<Log*>(file); }

int Write(sqlite3_file* file, const void* bytes, int size,
          sqlite3_int64 offset) {
  Log& log = LogOf(file);
  const bool follows =
      offset == log.offset + static_cast<sqlite3_int64>(log.buffer.size());
  if (!follows || log.buffer.size() + size > kMaxBuffer) {
    const int flushed = log.Flush();
    if (flushed != SQLITE_OK) return flushed;
  }
  if (log.buffer.empty()) log.offset = offset;
  log.buffer.append(static_cast<const char*>(bytes), size);
  return SQLITE_OK;
}

// Calls a method of the real file, once it holds all that was written.
template <auto kMethod, typename... Args>
int FlushAndCall(sqlite3_file* file, Args... args) {
  Log& log = LogOf(file);
  const int flushed = log.Flush();
  if (flushed != SQLITE_OK) return flushed;
  return (log.real->pMethods->*kMethod)(log.real, args...);
}

// Calls a method that has nothing to do with what the file holds.
template <auto kMethod, typename... Args>
int Call(sqlite3_file* file, Args... args) {
  sqlite3_file* const real = LogOf(file).real;
  return (real->pMethods->*kMethod)(real, args...);
}

int Close(sqlite3_file* file) {
  Log& log = LogOf(file);
  const int flushed = log.Flush();
  const int closed = log.real->pMethods->xClose(log.real);
  log.~Log();
  return flushed != SQLITE_OK ? flushed : closed;
}

constexpr sqlite3_io_methods LogMethods() {
  using Methods = sqlite3_io_methods;
  Methods methods = {};
  methods.iVersion = 1;
  methods.xClose = Close;
  methods.xRead = FlushAndCall<&Methods::xRead, void*, int, sqlite3_int64>;
  methods.xWrite = Write;
  methods.xTruncate = FlushAndCall<&Methods::xTruncate, sqlite3_int64>;
  methods.xSync = FlushAndCall<&Methods::xSync, int>;
  methods.xFileSize = FlushAndCall<&Methods::xFileSize, sqlite3_int64*>;
  methods.xLock = Call<&Methods::xLock, int>;
  methods.xUnlock = Call<&Methods::xUnlock, int>;
  methods.xCheckReservedLock = Call<&Methods::xCheckReservedLock, int*>;
  methods.xFileControl = Call<&Methods::xFileControl, int, void*>;
  methods.xSectorSize = Call<&Methods::xSectorSize>;
  methods.xDeviceCharacteristics = Call<&Methods::xDeviceCharacteristics>;
  return methods;
}

constexpr sqlite3_io_methods kLogMethods = LogMethods();

int Open(sqlite3_vfs*, sqlite3_filename path, sqlite3_file* file, int flags,
         int* out_flags) {
  sqlite3_vfs* const vfs = DefaultVfs();
  if ((flags & SQLITE_OPEN_WAL) == 0) {
    return vfs->xOpen(vfs, path, file, flags, out_flags);
  }
  auto* const real = reinterpret_cast<sqlite3_file*>(
      reinterpret_cast<char*>(file) + sizeof(Log));
  file->pMethods = nullptr;
  const int opened = vfs->xOpen(vfs, path, real, flags, out_flags);
  if (opened != SQLITE_OK) return opened;
  Log* const log = new (file) Log();
  log->pMethods = &kLogMethods;
  log->real = real;
  return SQLITE_OK;
}

const char* Register() {
  static sqlite3_vfs vfs = *DefaultVfs();
  vfs.zName = kName;
  vfs.szOsFile += sizeof(Log);
  vfs.xOpen = Open;
  vfs.pNext = nullptr;
  sqlite3_vfs_register(&vfs, /*makeDflt=*/0);
  return kName;
}

}  // namespace

const char* BufferedLogVfs() {
  static const char* const name = Register();
  return name;
}

}  // namespace rekindle
