// Internal to metadata/sqlite.
#ifndef REKINDLE_METADATA_SQLITE_SQLITE_STATUS_H_
#define REKINDLE_METADATA_SQLITE_SQLITE_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct sqlite3;

namespace rekindle {

// The status for the last error of `db`, saying that it happened while `doing`.
// To be called right after the call that failed.
//
//   ALREADY_EXISTS      a UNIQUE or PRIMARY KEY constraint
//   ABORTED             locked by another writer
//   PERMISSION_DENIED   read-only or not accessible
//   RESOURCE_EXHAUSTED  the disk, a quota or the memory is full
//   DATA_LOSS           damaged
//   FAILED_PRECONDITION not a database
//   INTERNAL            anything else
absl::Status SqliteStatus(sqlite3* db, absl::string_view doing);

// The same for a result that no connection remembers, as a backup's.
absl::Status SqliteCodeStatus(int result, absl::string_view doing);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_SQLITE_STATUS_H_
