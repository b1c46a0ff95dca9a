// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_NODE_ROWS_H_
#define REKINDLE_METADATA_STORE_NODE_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>

#include <google/protobuf/repeated_field.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metadata/api/node_traits.h"
#include "metadata/sqlite/database.h"
#include "metadata/sqlite/sql_fragment.h"

namespace rekindle {

// Finds rows of Artifact, Execution and Context with their properties. Defined
// for these three messages.

template <typename Node>
using Nodes = google::protobuf::RepeatedPtrField<Node>;

// Those that meet a condition on their row `n`, in order of id. The text of the
// condition must be one of few.
template <typename Node>
absl::StatusOr<Nodes<Node>> FindNodesWhere(Database& db,
                                           const SqlFragment& condition);

// Those of `ids` that are stored, in order of id, each once.
template <typename Node>
absl::StatusOr<Nodes<Node>> FindNodes(Database& db,
                                      absl::Span<const int64_t> ids);

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNode(Database& db, int64_t id);

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNodeByName(Database& db,
                                                   int64_t type_id,
                                                   absl::string_view name);

template <typename Node>
absl::StatusOr<std::optional<int64_t>> FindNodeIdByName(Database& db,
                                                        int64_t type_id,
                                                        absl::string_view name);

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNodeByExternalId(
    Database& db, absl::string_view external_id);

// In order of id.
absl::StatusOr<Nodes<ml_metadata::Artifact>> FindArtifactsByUri(
    Database& db, const std::string& uri);

template <typename Node>
absl::StatusOr<bool> NodeExists(Database& db, int64_t id);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_NODE_ROWS_H_
