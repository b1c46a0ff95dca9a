#ifndef REKINDLE_METADATA_SQLITE_STORE_ID_H_
#define REKINDLE_METADATA_SQLITE_STORE_ID_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Ours: the store's name for itself, in one row, beside the file that it was
// given to.
inline constexpr char kStoreTable[] = "rk_store";

// Gives the database at `path` an id, if it has none or is a copy: a file with
// another inode, or another time of birth, than the one its id was given to.
// Random, ten lower-case letters and digits.
absl::Status EnsureStoreId(Database& db, const std::string& path);

// The id; empty for a database that was never opened for writing here.
absl::StatusOr<std::string> FindStoreId(Database& db);

// Leaves the database without an id: it is given another one when it is opened
// for writing.
absl::Status DropStoreId(Database& db);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_STORE_ID_H_
