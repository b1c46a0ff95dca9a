// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LEASE_ROWS_H_
#define REKINDLE_METADATA_STORE_LEASE_ROWS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Rows of rk_lease: who may go on working, and until when.
struct Lease {
  int64_t token = 0;
  int64_t expires_millis = 0;
};

absl::StatusOr<std::optional<Lease>> FindLease(Database& db,
                                               int64_t execution_id);
absl::Status PutLease(Database& db, int64_t execution_id, const Lease& lease);
absl::Status DeleteLease(Database& db, int64_t execution_id);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LEASE_ROWS_H_
