// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_EDGE_ROWS_H_
#define REKINDLE_METADATA_STORE_EDGE_ROWS_H_

#include <cstdint>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "metadata/sqlite/database.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Rows of Attribution, Association and ParentContext.

// Puts a node into a context, both of which are known to be stored; nothing
// happens if it is there already.
absl::Status AddAttribution(Database& db, int64_t context_id,
                            int64_t artifact_id);
absl::Status AddAssociation(Database& db, int64_t context_id,
                            int64_t execution_id);

// The same for nodes and contexts that somebody names.
//
//   INVALID_ARGUMENT  the node or the context is not stored
absl::Status PutAttribution(Database& db, int64_t context_id,
                            int64_t artifact_id);
absl::Status PutAssociation(Database& db, int64_t context_id,
                            int64_t execution_id);

// Puts a context below another.
//
//   INVALID_ARGUMENT  one is not stored, or the parent is below the child
//   ALREADY_EXISTS    the pair is stored
absl::Status PutParentContext(Database& db, int64_t child_id,
                              int64_t parent_id);

// Who of the given nodes belongs to which context, in order of node and
// context.
absl::StatusOr<google::protobuf::RepeatedPtrField<ml_metadata::Attribution>>
FindAttributions(Database& db, absl::Span<const int64_t> artifact_ids);
absl::StatusOr<google::protobuf::RepeatedPtrField<ml_metadata::Association>>
FindAssociations(Database& db, absl::Span<const int64_t> execution_ids);

// Takes the execution out of the context, if it is in it.
absl::Status RemoveAssociation(Database& db, int64_t context_id,
                               int64_t execution_id);

// Ids of contexts, in order.
absl::StatusOr<std::vector<int64_t>> ContextIdsOfArtifact(Database& db,
                                                          int64_t artifact_id);
absl::StatusOr<std::vector<int64_t>> ContextIdsOfExecution(
    Database& db, int64_t execution_id);
absl::StatusOr<std::vector<int64_t>> ParentContextIds(Database& db,
                                                      int64_t context_id);
absl::StatusOr<std::vector<int64_t>> ChildContextIds(Database& db,
                                                     int64_t context_id);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_EDGE_ROWS_H_
