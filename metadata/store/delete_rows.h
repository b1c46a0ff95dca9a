// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_DELETE_ROWS_H_
#define REKINDLE_METADATA_STORE_DELETE_ROWS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "metadata/sqlite/database.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// Deletes the nodes that `request` names and every row that belongs to them,
// and counts the rows; `dry_run` is the caller's. Runs inside a transaction.
//
//   INVALID_ARGUMENT     nothing is named
//   NOT_FOUND            a node is not stored
//   FAILED_PRECONDITION  something is in the way
absl::Status DeleteNodes(Database& db, const v1::DeleteRequest& request,
                         int64_t now_millis, v1::DeleteResponse& response);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_DELETE_ROWS_H_
