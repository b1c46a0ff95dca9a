#ifndef REKINDLE_BASE_OPEN_DATABASE_H_
#define REKINDLE_BASE_OPEN_DATABASE_H_

#include <string>
#include <utility>

#include <sys/types.h>

#include "absl/status/status.h"

namespace rekindle {

// A database file that this process has open, from the constructor to the
// destructor. When a process closes a file, however it came to open it, it
// loses all the POSIX locks it has on it, and SQLite relies on them: other
// processes could then write at the same time. Whoever opens files that others
// name, and all files of a folder, asks CheckMayBeOpened before.
class OpenDatabase {
 public:
  // Of a file that is not there: none.
  explicit OpenDatabase(const std::string& path);
  ~OpenDatabase();
  OpenDatabase(const OpenDatabase&) = delete;
  OpenDatabase& operator=(const OpenDatabase&) = delete;

 private:
  std::pair<dev_t, ino_t> file_ = {0, 0};
};

// Thread-safe.
//
//   FAILED_PRECONDITION  the file is a database that this process has open, or
//                        its log or the log's index
absl::Status CheckMayBeOpened(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_BASE_OPEN_DATABASE_H_
