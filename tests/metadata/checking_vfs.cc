#include "tests/metadata/checking_vfs.h"

#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <sqlite3.h>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/metadata/log_format.h"

namespace rekindle {
namespace {

using Kind = FileCall::Kind;

// Asks a file of this VFS, through all that is stacked on it, for itself.
constexpr int kWhichFile = 0x726b6376;

std::atomic<FileObserver*> observer = nullptr;
std::atomic<bool> volatile_commits = false;
std::mutex violations_mutex;
std::vector<std::string> violations;  // guarded by violations_mutex
std::mutex random_mutex;
std::optional<std::mt19937_64> random_source;  // guarded by random_mutex

sqlite3_vfs* real_vfs = nullptr;

void Violation(const std::string& what) {
  {
    const std::lock_guard<std::mutex> lock(violations_mutex);
    violations.push_back(what);
  }
  if (FileObserver* const told = observer) told->Violated(what);
}

// Makes a call, unless the observer has it fail.
template <typename Make>
int Observed(FileCall call, Make make) {
  FileObserver* const told = observer;
  if (told == nullptr) return make(call);
  const int refused = told->Before(call);
  if (refused != SQLITE_OK) return refused;
  const int result = make(call);
  told->After(call, result);
  return result;
}

// An open file. SQLite gives the memory, the real file is behind it.
struct File : sqlite3_file {
  sqlite3_file* real = nullptr;
  std::string path = {};
  bool is_log = false;
  bool is_database = false;
  sqlite3_io_methods methods = {};

  // Of a database:
  int lock = SQLITE_LOCK_NONE;
  unsigned exclusive_slots = 0;  // of the log's index, one bit each
  volatile void* index = nullptr;
  File* log = nullptr;

  // Of a log:
  File* database = nullptr;
  bool unsynced = false;  // holds what this connection wrote since its sync

  bool Holds(int slot) const { return (exclusive_slots >> slot & 1) != 0; }
};

File& FileOf(sqlite3_file* file) { return *static_cast<File*>(file); }

std::string Held(const File& database) {
  return absl::StrCat("file lock ", database.lock, ", exclusive slots ",
                      database.exclusive_slots);
}

// Whether the connection has the file for itself, as when it closes it last.
bool Alone(const File& database) {
  return database.lock == SQLITE_LOCK_EXCLUSIVE;
}

std::optional<IndexHeader> Published(const File& database, int copy) {
  if (database.index == nullptr) return std::nullopt;
  const IndexHeader header(database.index, copy);
  if (!header.initialized()) return std::nullopt;
  return header;
}

void CheckLogChange(const File& log, absl::string_view change, int64_t offset,
                    int64_t size) {
  const std::string what =
      absl::StrCat(change, " of the log at ", offset, ", ", size, " bytes, ");
  if (log.database == nullptr) {
    Violation(absl::StrCat(what, "whose database is not known"));
    return;
  }
  if (Alone(*log.database)) return;
  if (!log.database->Holds(kWriteLock)) {
    Violation(
        absl::StrCat(what, "without the write lock: ", Held(*log.database)));
    return;
  }
  const auto header = Published(*log.database, 0);
  if (header.has_value() && offset < header->CommittedEnd()) {
    Violation(
        absl::StrCat(what, "below the committed end ", header->CommittedEnd()));
  }
}

void CheckDatabaseChange(const File& database, absl::string_view change,
                         int64_t offset) {
  const std::string what =
      absl::StrCat(change, " of the database at ", offset, " ");
  if (Alone(database)) return;
  if (!database.Holds(kCheckpointLock)) {
    Violation(
        absl::StrCat(what, "without the checkpoint lock: ", Held(database)));
  } else if (database.log != nullptr && database.log->unsynced &&
             !volatile_commits) {
    Violation(absl::StrCat(what, "before its log is durable"));
  }
}

void CheckChange(const File& file, absl::string_view change, int64_t offset,
                 int64_t size) {
  if (file.is_log) CheckLogChange(file, change, offset, size);
  if (file.is_database) CheckDatabaseChange(file, change, offset);
}

int ReadReal(const File& file, char* into, int64_t size, int64_t offset) {
  return file.real->pMethods->xRead(file.real, into, static_cast<int>(size),
                                    offset);
}

// The checksum that the log's header ends with; frames go on from it.
LogChecksum HeaderChecksum(const File& log) {
  char header[kLogHeaderBytes] = {};
  ReadReal(log, header, sizeof(header), 0);
  return {BigEndian(header + 24), BigEndian(header + 28)};
}

// What is wrong with frame `number` of the log's file, whose checksum goes on
// from `sum`; empty if nothing.
std::string WrongFrame(const File& log, const IndexHeader& header,
                       uint32_t number, LogChecksum& sum) {
  std::string frame(kFrameHeaderBytes + header.page_size(), '\0');
  if (ReadReal(log, frame.data(), std::ssize(frame),
               header.FrameOffset(number)) != SQLITE_OK) {
    return "is not in the file";
  }
  const std::array<char, 8> salt = header.salt();
  if (std::memcmp(&frame[8], salt.data(), salt.size()) != 0) {
    return "has another salt";
  }
  const bool big_endian = header.big_endian_checksums();
  sum = AddToChecksum(sum, frame.data(), 8, big_endian);
  sum = AddToChecksum(sum, &frame[kFrameHeaderBytes], header.page_size(),
                      big_endian);
  if (sum != LogChecksum{BigEndian(&frame[16]), BigEndian(&frame[20])}) {
    return "has a wrong checksum";
  }
  const bool last = number == header.frames();
  return last && BigEndian(&frame[4]) == 0 ? "ends no transaction" : "";
}

// Checks what a writer is about to show to readers: the index's second header
// has been changed, its first one not yet.
void CheckPublication(const File& database) {
  if (!database.Holds(kWriteLock) || database.Holds(kRecoveryLock)) return;
  const auto before = Published(database, 0);
  const auto after = Published(database, 1);
  if (!before.has_value() || !after.has_value() || database.log == nullptr ||
      before->bytes == after->bytes || after->frames() == 0) {
    return;
  }
  const File& log = *database.log;
  if (log.unsynced && !volatile_commits) {
    Violation("a commit is shown to readers before its log is durable");
  }
  const bool goes_on = before->frames() > 0 && before->salt() == after->salt();
  LogChecksum sum = goes_on ? before->checksum() : HeaderChecksum(log);
  for (uint32_t frame = goes_on ? before->frames() + 1 : 1;
       frame <= after->frames(); ++frame) {
    const std::string wrong = WrongFrame(log, *after, frame, sum);
    if (wrong.empty()) continue;
    Violation(absl::StrCat("a commit is shown to readers whose frame ", frame,
                           " of ", after->frames(), " ", wrong));
    return;
  }
}

int Close(sqlite3_file* file) {
  File& self = FileOf(file);
  if (self.database != nullptr) self.database->log = nullptr;
  const int closed = self.real->pMethods->xClose(self.real);
  self.~File();
  return closed;
}

int Read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  const File& self = FileOf(file);
  return Observed({Kind::kRead, self.path, offset}, [&](const FileCall&) {
    return self.real->pMethods->xRead(self.real, into, size, offset);
  });
}

int Write(sqlite3_file* file, const void* bytes, int size,
          sqlite3_int64 offset) {
  File& self = FileOf(file);
  CheckChange(self, "write", offset, size);
  const absl::string_view all(static_cast<const char*>(bytes), size);
  return Observed(
      {Kind::kWrite, self.path, offset, all}, [&](const FileCall& call) {
        self.unsynced = true;
        return self.real->pMethods->xWrite(self.real, call.bytes.data(),
                                           static_cast<int>(call.bytes.size()),
                                           offset);
      });
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const File& self = FileOf(file);
  CheckChange(self, "truncation", size, 0);
  return Observed({Kind::kTruncate, self.path, size}, [&](const FileCall&) {
    return self.real->pMethods->xTruncate(self.real, size);
  });
}

int Sync(sqlite3_file* file, int flags) {
  File& self = FileOf(file);
  return Observed({Kind::kSync, self.path}, [&](const FileCall&) {
    const int synced = self.real->pMethods->xSync(self.real, flags);
    if (synced == SQLITE_OK) self.unsynced = false;
    return synced;
  });
}

int Lock(sqlite3_file* file, int level) {
  File& self = FileOf(file);
  return Observed({Kind::kLock, self.path}, [&](const FileCall&) {
    const int locked = self.real->pMethods->xLock(self.real, level);
    if (locked == SQLITE_OK) self.lock = std::max(self.lock, level);
    return locked;
  });
}

int Unlock(sqlite3_file* file, int level) {
  File& self = FileOf(file);
  self.lock = std::min(self.lock, level);
  return self.real->pMethods->xUnlock(self.real, level);
}

int FileControl(sqlite3_file* file, int op, void* argument) {
  File& self = FileOf(file);
  if (op == kWhichFile) {
    *static_cast<File**>(argument) = &self;
    return SQLITE_OK;
  }
  return self.real->pMethods->xFileControl(self.real, op, argument);
}

int ShmMap(sqlite3_file* file, int region, int size, int extend,
           void volatile** memory) {
  File& self = FileOf(file);
  const int mapped =
      self.real->pMethods->xShmMap(self.real, region, size, extend, memory);
  if (region == 0 && mapped == SQLITE_OK) self.index = *memory;
  return mapped;
}

int TakeSlots(File& self, int offset, int count, int flags) {
  return Observed({Kind::kLock, self.path}, [&](const FileCall&) {
    const int locked =
        self.real->pMethods->xShmLock(self.real, offset, count, flags);
    if (locked == SQLITE_OK && (flags & SQLITE_SHM_EXCLUSIVE) != 0) {
      self.exclusive_slots |= ((1U << count) - 1) << offset;
    }
    return locked;
  });
}

int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  File& self = FileOf(file);
  if ((flags & SQLITE_SHM_LOCK) != 0) {
    return TakeSlots(self, offset, count, flags);
  }
  self.exclusive_slots &= ~(((1U << count) - 1) << offset);
  return self.real->pMethods->xShmLock(self.real, offset, count, flags);
}

void ShmBarrier(sqlite3_file* file) {
  const File& self = FileOf(file);
  self.real->pMethods->xShmBarrier(self.real);
  CheckPublication(self);
}

int ShmUnmap(sqlite3_file* file, int remove) {
  File& self = FileOf(file);
  self.index = nullptr;
  self.exclusive_slots = 0;
  return self.real->pMethods->xShmUnmap(self.real, remove);
}

// Calls the same method of the real file.
template <auto kMethod, typename... Args>
auto Call(sqlite3_file* file, Args... args) {
  sqlite3_file* const real = FileOf(file).real;
  return (real->pMethods->*kMethod)(real, args...);
}

sqlite3_io_methods MethodsOver(const sqlite3_io_methods& real) {
  using Methods = sqlite3_io_methods;
  Methods methods = real;  // with its version, and what it lacks
  methods.xClose = Close;
  methods.xRead = Read;
  methods.xWrite = Write;
  methods.xTruncate = Truncate;
  methods.xSync = Sync;
  methods.xFileSize = Call<&Methods::xFileSize, sqlite3_int64*>;
  methods.xLock = Lock;
  methods.xUnlock = Unlock;
  methods.xCheckReservedLock = Call<&Methods::xCheckReservedLock, int*>;
  methods.xFileControl = FileControl;
  methods.xSectorSize = Call<&Methods::xSectorSize>;
  methods.xDeviceCharacteristics = Call<&Methods::xDeviceCharacteristics>;
  if (real.iVersion >= 2 && real.xShmMap != nullptr) {
    methods.xShmMap = ShmMap;
    methods.xShmLock = ShmLock;
    methods.xShmBarrier = ShmBarrier;
    methods.xShmUnmap = ShmUnmap;
  }
  methods.iVersion = std::min(real.iVersion, 2);  // nothing is mapped
  return methods;
}

// The database whose log is opened at `path`, whatever is stacked on it.
File* DatabaseOf(sqlite3_filename path) {
  sqlite3_file* const top = sqlite3_database_file_object(path);
  File* database = nullptr;
  top->pMethods->xFileControl(top, kWhichFile, &database);
  return database;
}

int OpenReal(sqlite3_filename path, sqlite3_file* file, int flags,
             int* out_flags) {
  auto* const real = reinterpret_cast<sqlite3_file*>(
      reinterpret_cast<char*>(file) + sizeof(File));
  file->pMethods = nullptr;
  const int opened = real_vfs->xOpen(real_vfs, path, real, flags, out_flags);
  if (opened != SQLITE_OK) return opened;
  File* const self = new (file) File();
  self->real = real;
  self->path = path == nullptr ? "" : path;
  self->methods = MethodsOver(*real->pMethods);
  self->pMethods = &self->methods;
  self->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  self->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  if (self->is_log) self->database = DatabaseOf(path);
  if (self->database != nullptr) self->database->log = self;
  return SQLITE_OK;
}

bool Exists(const char* path) {
  int exists = 0;
  real_vfs->xAccess(real_vfs, path, SQLITE_ACCESS_EXISTS, &exists);
  return exists != 0;
}

int Open(sqlite3_vfs* /*vfs*/, sqlite3_filename path, sqlite3_file* file,
         int flags, int* out_flags) {
  const std::string name = path == nullptr ? "" : path;
  return Observed({Kind::kOpen, name}, [&](FileCall& call) {
    call.created = path != nullptr && !Exists(path);
    return OpenReal(path, file, flags, out_flags);
  });
}

int Delete(sqlite3_vfs* /*vfs*/, const char* path, int sync_folder) {
  const std::string name = path;
  return Observed({Kind::kDelete, name}, [&](const FileCall&) {
    return real_vfs->xDelete(real_vfs, path, sync_folder);
  });
}

int Sleep(sqlite3_vfs* /*vfs*/, int micros) {
  const std::string none;
  return Observed({Kind::kSleep, none}, [&](const FileCall&) {
    return real_vfs->xSleep(real_vfs, micros);
  });
}

int Randomness(sqlite3_vfs* /*vfs*/, int size, char* into) {
  const std::lock_guard<std::mutex> lock(random_mutex);
  if (!random_source.has_value()) {
    return real_vfs->xRandomness(real_vfs, size, into);
  }
  for (int i = 0; i < size; ++i)
    into[i] = static_cast<char>((*random_source)());
  return size;
}

void Register() {
  real_vfs = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs vfs = *real_vfs;
  vfs.zName = "rekindle-checking";
  vfs.szOsFile += sizeof(File);
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xSleep = Sleep;
  vfs.xRandomness = Randomness;
  vfs.pNext = nullptr;
  sqlite3_vfs_register(&vfs, /*makeDflt=*/1);
}

}  // namespace

void RegisterCheckingVfs() {
  static std::once_flag once;
  std::call_once(once, Register);
}

std::vector<std::string> TakeViolations() {
  const std::lock_guard<std::mutex> lock(violations_mutex);
  return std::exchange(violations, {});
}

void ObserveFiles(FileObserver* told) { observer = told; }

void LetCommitsBeVolatile(bool allowed) { volatile_commits = allowed; }

void SeedRandomness(uint64_t seed) {
  const std::lock_guard<std::mutex> lock(random_mutex);
  random_source.emplace(seed);
  sqlite3_randomness(0, nullptr);  // forget what it has drawn
}

}  // namespace rekindle
