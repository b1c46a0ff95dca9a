// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_WORK_ROWS_H_
#define REKINDLE_METADATA_STORE_WORK_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Rows of rk_work: which claim does the work of a key. A row outlives a worker
// that died; whether it still works, its lease says.
struct Work {
  int64_t execution_id = 0;
  int64_t token = 0;
};

absl::StatusOr<std::optional<Work>> FindWork(Database& db,
                                             const std::string& key);
absl::Status PutWork(Database& db, const std::string& key, const Work& work);
absl::Status DeleteWorkOf(Database& db, int64_t execution_id);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_WORK_ROWS_H_
