// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LATEST_H_
#define REKINDLE_METADATA_STORE_LATEST_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "metadata/query/filter_ast.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// The beginning of a key of rk_latest: artifacts of one type in one context,
// and of one state, if it is given, there in the order of their creation.
struct LatestKey {
  int64_t context_id = 0;
  int64_t type_id = 0;
  std::optional<int64_t> state;
};

// The key under which all artifacts are that the filter passes, in the context
// and of the type if given; nullopt if they are under more than one, or if it
// is not plain from the filter, or if the store has no such table.
absl::StatusOr<std::optional<LatestKey>> FindLatestKey(
    Database& db, std::optional<int64_t> context_id,
    std::optional<int64_t> type_id, const FilterExpr& filter);

// Whether so few artifacts are under the key that they are quickly sorted, in
// whatever order.
absl::StatusOr<bool> AreFew(Database& db, const LatestKey& key);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LATEST_H_
