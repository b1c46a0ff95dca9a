// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LISTING_H_
#define REKINDLE_METADATA_STORE_LISTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "metadata/api/node_traits.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/node_rows.h"

namespace rekindle {

// Which nodes are listed: all of a kind, narrowed by what is set.
struct ListScope {
  std::optional<int64_t> type_id = std::nullopt;
  std::optional<int64_t> context_id = std::nullopt;  // not for contexts
};

template <typename Node>
struct Page {
  Nodes<Node> nodes;
  std::string next_page_token;  // empty on the last page
};

// Lists nodes page by page. Defined for Artifact, Execution and Context.
//
//   INVALID_ARGUMENT  the options do not make sense, or the token is not theirs
template <typename Node>
absl::StatusOr<Page<Node>> ListNodes(
    Database& db, const ListScope& scope,
    const ml_metadata::ListOperationOptions& options);

// Ids of all nodes that pass the filter, in order; of those in `among` only, if
// it is given.
//
//   INVALID_ARGUMENT  the filter is wrong
template <typename Node>
absl::StatusOr<std::vector<int64_t>> FilterIds(
    Database& db, const std::string& filter_query,
    std::optional<absl::Span<const int64_t>> among = std::nullopt);

// Lists all of them, in order of id.
template <typename Node>
absl::StatusOr<Nodes<Node>> ListAllNodes(Database& db, const ListScope& scope);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LISTING_H_
