#ifndef REKINDLE_METADATA_SQLITE_SCHEMA_H_
#define REKINDLE_METADATA_SQLITE_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// The version of ML Metadata's schema that is written here.
inline constexpr int64_t kSchemaVersion = 10;

// Ours: (context_id, type_id, state, create_time, artifact_id) of every
// attributed artifact, in this order; a state that is not set is 0. A store
// that was never opened for writing here does not have it.
inline constexpr char kLatestTable[] = "rk_latest";

absl::StatusOr<bool> HasTable(Database& db, absl::string_view name);

// Sets the connection up and makes sure the database has ML Metadata's tables,
// creating them if it has none at all and the mode allows. Adds our own indexes
// and the tables of leases and of work under way, all named rk_*, which may be
// dropped without loss, and gives the store its id (store_id.h). `path` is that
// of the file.
//
//   FAILED_PRECONDITION  a database of something else, of another schema
//                        version, or an empty one that may not be filled
//   DATA_LOSS            damaged
//   ABORTED              locked by another process
absl::Status PrepareSchema(Database& db, const std::string& path,
                           Database::Mode mode);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_SCHEMA_H_
