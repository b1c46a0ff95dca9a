// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_OPEN_FILES_H_
#define REKINDLE_METADATA_STORE_OPEN_FILES_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "absl/status/status.h"

namespace rekindle {

// The files of an open database: itself, its log, and the log's index. SQLite
// goes on with a file that was deleted or replaced under it, while others use
// the one that is there now; what is written then is lost. Thread-safe.
class OpenFiles {
 public:
  // Of a database in memory: none.
  OpenFiles() = default;

  // Those that are there for the database at `path`, which is open.
  explicit OpenFiles(const std::string& path);

  // Whether they are still there. Costs a stat() of each.
  //
  //   UNAVAILABLE  one was deleted or replaced
  absl::Status Check() const;

  // The same, for what happens often: looks every few milliseconds.
  absl::Status CheckNowAndThen() const;

 private:
  struct File {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
  };
  std::vector<File> files_;
  mutable std::atomic<int64_t> good_until_ = 0;  // steady nanoseconds
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_OPEN_FILES_H_
