// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LATEST_H_
#define REKINDLE_METADATA_STORE_LATEST_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "metadata/query/filter_ast.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// The beginning of a key of rk_latest: artifacts of one type and state in one
// context, there in the order of their creation.
struct LatestKey {
  int64_t context_id = 0;
  int64_t type_id = 0;
  int64_t state = 0;
};

// The key under which all artifacts are that the filter passes, in the context
// and of the type if given; nullopt if they are under more than one, or if it
// is not plain from the filter, or if the store has no such table.
absl::StatusOr<std::optional<LatestKey>> FindLatestKey(
    Database& db, std::optional<int64_t> context_id,
    std::optional<int64_t> type_id, const FilterExpr& filter);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LATEST_H_
