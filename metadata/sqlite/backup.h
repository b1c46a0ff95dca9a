#ifndef REKINDLE_METADATA_SQLITE_BACKUP_H_
#define REKINDLE_METADATA_SQLITE_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Copies the database, as the open read transaction on `db` sees it, into a new
// file at `path`, whole in itself: no log beside it, readable where nothing can
// be written. Calls `progress` with bytes now and then; its error stops the
// copy. The file is flushed to the disk. After an error a part may be left.
//
//   RESOURCE_EXHAUSTED  the disk is full
//   PERMISSION_DENIED   the file cannot be created
absl::Status BackUp(
    Database& db, const std::string& path,
    absl::FunctionRef<absl::Status(int64_t done, int64_t total)> progress);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_BACKUP_H_
