#ifndef REKINDLE_TESTS_METADATA_CHECKING_VFS_H_
#define REKINDLE_TESTS_METADATA_CHECKING_VFS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle {

// A call that SQLite, or a VFS above, makes to the file system.
struct FileCall {
  enum class Kind {
    kOpen,
    kRead,
    kWrite,
    kTruncate,
    kSync,
    kDelete,
    kLock,
    kSleep,
  };
  Kind kind = Kind::kRead;
  const std::string& path;
  int64_t offset = 0;            // of a write; the new size of a truncation
  absl::string_view bytes = {};  // of a write
  bool created = false;          // an open made the file
};

// Sees every call to the file system, and may change its outcome.
class FileObserver {
 public:
  virtual ~FileObserver() = default;

  // Before the call is made. Anything but SQLITE_OK is its result instead. May
  // shorten `call.bytes`: a write that does not reach its end.
  virtual int Before(FileCall& call) = 0;

  // After a call that Before() let through; `result` is SQLite's code.
  virtual void After(const FileCall& call, int result) = 0;

  // A rule was broken.
  virtual void Violated(const std::string& what) = 0;
};

// Makes SQLite's default VFS one that checks, below whatever is stacked on it,
// what is done to a database in write-ahead mode:
//
//   - the log is written and truncated only under the write lock (or the
//     exclusive lock of the file), and never below the committed end;
//   - the database is written only under the checkpoint lock (or the exclusive
//     lock of the file), and only when the log it comes from is durable;
//   - a commit is shown to readers only when all its frames are in the file,
//     with right checksums, and durable (unless LetCommitsBeVolatile).
//
// To be called before the first database is opened. Thread-safe.
void RegisterCheckingVfs();

// Rules broken since the last call, one sentence each.
std::vector<std::string> TakeViolations();

// Tells `observer`, not owned, of every call; null for none.
void ObserveFiles(FileObserver* observer);

// For connections with synchronous=NORMAL, which do not promise durability.
void LetCommitsBeVolatile(bool allowed);

// Makes SQLite's random numbers, log salts among them, follow from `seed`.
void SeedRandomness(uint64_t seed);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_METADATA_CHECKING_VFS_H_
