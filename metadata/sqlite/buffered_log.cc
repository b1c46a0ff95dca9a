#include "metadata/sqlite/buffered_log.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <set>
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

// Slots of the log's index that are locked by who writes, by who copies the log
// into the database, and, from the second reader's on, by a writer who begins
// the log anew: https://sqlite.org/walformat.html, "WAL Locks".
constexpr int kWriteLock = 0;
constexpr int kCheckpointLock = 1;
constexpr int kSecondReaderLock = 4;

// The header of a frame: page, size of the database if it ends a transaction,
// salt, checksum. https://sqlite.org/walformat.html, "Frame Header".
constexpr int kFrameHeaderBytes = 24;
constexpr int kCommitAt = 4;
constexpr int kSealAt = 8;

bool IsZero(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char byte) { return byte == 0; });
}

// Frames whose header has no salt and no checksum. SQLite writes such ones
// while it expects to compute the checksums anew at the commit; the one it then
// forgets, after a savepoint was taken back whose pages had been spilled twice
// (seen in 3.40), ends the log for whoever reads it after a crash. That commit
// and all that follow would be lost.
class UnsealedFrames {
 public:
  // A write to the log, of whatever size.
  void OnWrite(const char* bytes, int size, sqlite3_int64 offset) {
    if (size != kFrameHeaderBytes) return;
    if (IsZero(bytes + kSealAt, bytes + size)) {
      unsealed_.insert(offset);
    } else if (!unsealed_.empty()) {
      unsealed_.erase(offset);
    }
    if (!IsZero(bytes + kCommitAt, bytes + kSealAt)) commit_ = offset;
  }

  // Whether the transaction that was written last is not whole.
  bool InCommit() const {
    return !unsealed_.empty() && *unsealed_.begin() < commit_;
  }

  void Clear() {
    unsealed_.clear();
    commit_ = 0;
  }

 private:
  std::set<sqlite3_int64> unsealed_;
  sqlite3_int64 commit_ = 0;  // the frame that ends the transaction
};

sqlite3_vfs* DefaultVfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

// An open log. SQLite gives the memory, the real file is behind it.
struct Log : sqlite3_file {
  sqlite3_file* real = nullptr;
  struct Main* main = nullptr;   // the database, open as long as the log
  std::string buffer = {};       // written, and not in the file yet,
  sqlite3_int64 offset = 0;      // where it belongs
  sqlite3_int64 size = 0;        // of the file, as far as this log has made it
  int failure = SQLITE_OK;       // why bytes were lost since the lock was taken
  UnsealedFrames unsealed = {};  // since then

  // Puts the buffer into the file. After a failure it fails until Drop().
  int Flush();

  // Forgets what is not in the file: it belonged to a transaction that is over.
  void Drop();

  // Writes zeros behind what ends at `end`, so that the commits to come find
  // their place in the file: one that does not change the file's size is made
  // durable sooner. Zeros are no frame, a reader of the log stops there. A disk
  // that has no room for them has it for what was written.
  void Grow(sqlite3_int64 end);
};

// An open database: its locks say what its log may do.
struct Main : sqlite3_file {
  sqlite3_file* real = nullptr;
  Log* log = nullptr;        // while it is open
  bool may_write = false;    // holds the write lock
  bool checkpoints = false;  // holds the checkpoint lock
  bool restarts = false;     // holds it for RestartLog()
  sqlite3_io_methods methods = {};
};

int Log::Flush() {
  if (failure != SQLITE_OK || buffer.empty()) return failure;
  const sqlite3_int64 end = offset + std::ssize(buffer);
  failure = real->pMethods->xWrite(real, buffer.data(),
                                   static_cast<int>(buffer.size()), offset);
  buffer.clear();
  if (failure == SQLITE_OK && end > size) Grow(end);
  return failure;
}

void Log::Drop() {
  buffer.clear();
  failure = SQLITE_OK;
  unsealed.Clear();
}

void Log::Grow(sqlite3_int64 end) {
  static const std::string& zeros = *new std::string(kMaxBuffer, '\0');
  // Others may have made it longer.
  if (real->pMethods->xFileSize(real, &size) != SQLITE_OK || end < size) {
    return;
  }
  const sqlite3_int64 wanted = end + std::clamp(end, kLeastGrowth, kMostGrowth);
  for (size = end; size < wanted;) {
    const auto part = std::min<sqlite3_int64>(wanted - size, std::ssize(zeros));
    if (real->pMethods->xWrite(real, zeros.data(), static_cast<int>(part),
                               size) != SQLITE_OK) {
      return;
    }
    size += part;
  }
}

Log& LogOf(sqlite3_file* file) { return *static_cast<Log*>(file); }
Main& MainOf(sqlite3_file* file) { return *static_cast<Main*>(file); }

// --- the log -----------------------------------------------------------------

int WriteLog(sqlite3_file* file, const void* bytes, int size,
             sqlite3_int64 offset) {
  Log& log = LogOf(file);
  if (log.main == nullptr || !log.main->may_write) {
    return log.real->pMethods->xWrite(log.real, bytes, size, offset);
  }
  const bool follows = offset == log.offset + std::ssize(log.buffer);
  if (!follows || log.buffer.size() + size > kMaxBuffer) log.Flush();
  if (log.failure != SQLITE_OK) return log.failure;
  if (log.buffer.empty()) log.offset = offset;
  log.buffer.append(static_cast<const char*>(bytes), size);
  log.unsealed.OnWrite(static_cast<const char*>(bytes), size, offset);
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

int SyncLog(sqlite3_file* file, int flags) {
  Log& log = LogOf(file);
  if (log.unsealed.InCommit()) log.failure = SQLITE_IOERR_WRITE;
  return FlushAndCall<&sqlite3_io_methods::xSync>(file, flags);
}

int CloseLog(sqlite3_file* file) {
  Log& log = LogOf(file);
  if (log.main != nullptr) log.main->log = nullptr;
  const int closed = log.real->pMethods->xClose(log.real);
  log.~Log();
  return closed;
}

// --- the database ------------------------------------------------------------

int LockReal(Main& main, int slot, int count, int flags) {
  return main.real->pMethods->xShmLock(main.real, slot, count, flags);
}

// Locks out the readers of the log, so that it can begin anew, but not while
// somebody copies it into the database: SQLite up to 3.51.2 can then take what
// the log gets for what it has copied, and never copy it. SQLite takes BUSY for
// a log that has readers, and goes on at its end.
int RestartLog(Main& main, int slot, int count, int flags) {
  const int alone = LockReal(main, kCheckpointLock, 1, flags);
  if (alone != SQLITE_OK) return alone;
  const int result = LockReal(main, slot, count, flags);
  main.restarts = result == SQLITE_OK;
  if (!main.restarts) {
    LockReal(main, kCheckpointLock, 1,
             SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  }
  return result;
}

int TakeSlots(Main& main, int slot, int count, int flags) {
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  if (exclusive && slot == kSecondReaderLock && count > 1 && main.may_write &&
      !main.checkpoints) {
    return RestartLog(main, slot, count, flags);
  }
  const int result = LockReal(main, slot, count, flags);
  if (result != SQLITE_OK || !exclusive) return result;
  if (slot == kWriteLock) main.may_write = true;
  if (slot == kCheckpointLock) main.checkpoints = true;
  return result;
}

int GiveSlots(Main& main, int slot, int count, int flags) {
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  if (exclusive && slot == kWriteLock) {
    // While the lock still keeps others away.
    if (main.log != nullptr) main.log->Drop();
    main.may_write = false;
  }
  if (exclusive && slot == kCheckpointLock) main.checkpoints = false;
  const int result = LockReal(main, slot, count, flags);
  if (exclusive && slot == kSecondReaderLock && main.restarts) {
    main.restarts = false;
    LockReal(main, kCheckpointLock, 1, flags);
  }
  return result;
}

int LockIndex(sqlite3_file* file, int slot, int count, int flags) {
  return (flags & SQLITE_SHM_LOCK) != 0
             ? TakeSlots(MainOf(file), slot, count, flags)
             : GiveSlots(MainOf(file), slot, count, flags);
}

// SQLite calls it before it shows a commit to readers. With synchronous=FULL
// the log has been synced by then, and nothing is left to do.
void IndexBarrier(sqlite3_file* file) {
  Main& main = MainOf(file);
  if (main.log != nullptr) main.log->Flush();
  main.real->pMethods->xShmBarrier(main.real);
}

int UnmapIndex(sqlite3_file* file, int remove) {
  Main& main = MainOf(file);
  if (main.log != nullptr) main.log->Drop();
  main.may_write = main.checkpoints = main.restarts = false;
  return main.real->pMethods->xShmUnmap(main.real, remove);
}

int CloseMain(sqlite3_file* file) {
  Main& main = MainOf(file);
  const int closed = main.real->pMethods->xClose(main.real);
  main.~Main();
  return closed;
}

// --- both --------------------------------------------------------------------

// Calls the same method of the real file.
template <typename File, auto kMethod, typename... Args>
int Call(sqlite3_file* file, Args... args) {
  sqlite3_file* const real = static_cast<File*>(file)->real;
  return (real->pMethods->*kMethod)(real, args...);
}

template <typename File>
constexpr sqlite3_io_methods CommonMethods() {
  using Methods = sqlite3_io_methods;
  Methods methods = {};
  methods.iVersion = 1;
  methods.xRead = Call<File, &Methods::xRead, void*, int, sqlite3_int64>;
  methods.xWrite =
      Call<File, &Methods::xWrite, const void*, int, sqlite3_int64>;
  methods.xTruncate = Call<File, &Methods::xTruncate, sqlite3_int64>;
  methods.xSync = Call<File, &Methods::xSync, int>;
  methods.xFileSize = Call<File, &Methods::xFileSize, sqlite3_int64*>;
  methods.xLock = Call<File, &Methods::xLock, int>;
  methods.xUnlock = Call<File, &Methods::xUnlock, int>;
  methods.xCheckReservedLock = Call<File, &Methods::xCheckReservedLock, int*>;
  methods.xFileControl = Call<File, &Methods::xFileControl, int, void*>;
  methods.xSectorSize = Call<File, &Methods::xSectorSize>;
  methods.xDeviceCharacteristics = Call<File, &Methods::xDeviceCharacteristics>;
  return methods;
}

constexpr sqlite3_io_methods LogMethods() {
  using Methods = sqlite3_io_methods;
  Methods methods = CommonMethods<Log>();
  methods.xClose = CloseLog;
  methods.xRead = FlushAndCall<&Methods::xRead, void*, int, sqlite3_int64>;
  methods.xWrite = WriteLog;
  methods.xTruncate = FlushAndCall<&Methods::xTruncate, sqlite3_int64>;
  methods.xSync = SyncLog;
  methods.xFileSize = FlushAndCall<&Methods::xFileSize, sqlite3_int64*>;
  return methods;
}

constexpr sqlite3_io_methods kLogMethods = LogMethods();

// With the index of the log if the real file has one. Nothing is mapped but
// that.
sqlite3_io_methods MainMethods(const sqlite3_io_methods& real) {
  using Methods = sqlite3_io_methods;
  Methods methods = CommonMethods<Main>();
  methods.xClose = CloseMain;
  if (real.iVersion < 2 || real.xShmMap == nullptr) return methods;
  methods.iVersion = 2;
  methods.xShmMap =
      Call<Main, &Methods::xShmMap, int, int, int, void volatile**>;
  methods.xShmLock = LockIndex;
  methods.xShmBarrier = IndexBarrier;
  methods.xShmUnmap = UnmapIndex;
  return methods;
}

// The real file lies behind ours in the memory that SQLite gives.
template <typename File>
int OpenBehind(sqlite3_filename path, sqlite3_file* file, int flags,
               int* out_flags) {
  sqlite3_vfs* const vfs = DefaultVfs();
  auto* const real = reinterpret_cast<sqlite3_file*>(
      reinterpret_cast<char*>(file) + sizeof(File));
  file->pMethods = nullptr;
  const int opened = vfs->xOpen(vfs, path, real, flags, out_flags);
  if (opened == SQLITE_OK) (new (file) File())->real = real;
  return opened;
}

int OpenMain(sqlite3_filename path, sqlite3_file* file, int flags,
             int* out_flags) {
  const int opened = OpenBehind<Main>(path, file, flags, out_flags);
  if (opened != SQLITE_OK) return opened;
  Main& main = MainOf(file);
  main.methods = MainMethods(*main.real->pMethods);
  main.pMethods = &main.methods;
  return SQLITE_OK;
}

int OpenLog(sqlite3_filename path, sqlite3_file* file, int flags,
            int* out_flags) {
  const int opened = OpenBehind<Log>(path, file, flags, out_flags);
  if (opened != SQLITE_OK) return opened;
  Log& log = LogOf(file);
  log.pMethods = &kLogMethods;
  sqlite3_file* const database = sqlite3_database_file_object(path);
  if (database->pMethods->xClose == CloseMain) {
    log.main = &MainOf(database);
    log.main->log = &log;
  }
  return SQLITE_OK;
}

int Open(sqlite3_vfs* /*vfs*/, sqlite3_filename path, sqlite3_file* file,
         int flags, int* out_flags) {
  if ((flags & SQLITE_OPEN_WAL) != 0) {
    return OpenLog(path, file, flags, out_flags);
  }
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
    return OpenMain(path, file, flags, out_flags);
  }
  return DefaultVfs()->xOpen(DefaultVfs(), path, file, flags, out_flags);
}

const char* Register() {
  static sqlite3_vfs vfs = *DefaultVfs();
  vfs.zName = kName;
  vfs.szOsFile += static_cast<int>(std::max(sizeof(Log), sizeof(Main)));
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
