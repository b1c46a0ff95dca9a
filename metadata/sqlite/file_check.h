#ifndef REKINDLE_METADATA_SQLITE_FILE_CHECK_H_
#define REKINDLE_METADATA_SQLITE_FILE_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Looks at the file before SQLite does, so that a wrong one is named in a clear
// sentence and left untouched. Does not open it: when a process closes a file,
// it loses all the locks that SQLite holds on it for another store.
//
//   NOT_FOUND            no such file, or no folder to create it in
//   FAILED_PRECONDITION  a folder, or something else that is not a file; on a
//                        network file system, unless `allow_network`
//   PERMISSION_DENIED    the file or its folder cannot be read or written
absl::Status CheckDatabaseFile(const std::string& path, Database::Mode mode,
                               bool allow_network);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_FILE_CHECK_H_
