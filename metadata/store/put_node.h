// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_PUT_NODE_H_
#define REKINDLE_METADATA_STORE_PUT_NODE_H_

#include <cstdint>

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/repeated_field.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/node_rows.h"

namespace rekindle {

// Writes rows of Artifact, Execution and Context with their properties. Defined
// for these three messages.

struct PutNodeOptions {
  int64_t now_millis = 0;
  // Fields to change in a stored node; empty for the whole node.
  google::protobuf::FieldMask update_mask = {};
  // Move the last update time even if nothing changes.
  bool force_update_time = false;
  // Refuse to update a node whose last update time is not the given one.
  bool check_update_time = false;
};

// Creates the node, or updates it if it has an id. Returns the id.
//
//   INVALID_ARGUMENT     the id is not stored; no type, or not the stored one;
//                        a property does not fit the type
//   NOT_FOUND            the type is not stored
//   ALREADY_EXISTS       the name or the external id is taken
//   FAILED_PRECONDITION  see check_update_time
template <typename Node>
absl::StatusOr<int64_t> PutNode(Database& db, const Node& node,
                                const PutNodeOptions& options);

// Whether nodes name stored types and their properties fit these: what PutNode
// checks of new nodes before it writes, for many at once.
//
//   INVALID_ARGUMENT  no type; a property does not fit the type
//   NOT_FOUND         the type is not stored
template <typename Node>
absl::Status CheckNodes(Database& db, const Nodes<Node>& nodes);

// Puts the nodes in their order, and adds their ids.
template <typename Node>
absl::Status PutNodes(Database& db, const Nodes<Node>& nodes,
                      const PutNodeOptions& options,
                      google::protobuf::RepeatedField<int64_t>* ids);

// Stores a node with the id and the times that it has. Its type is not looked
// at.
//
//   ALREADY_EXISTS  its id, its name or its external id is taken
template <typename Node>
absl::Status RestoreNode(Database& db, const Node& node);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_PUT_NODE_H_
