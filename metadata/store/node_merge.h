// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_NODE_MERGE_H_
#define REKINDLE_METADATA_STORE_NODE_MERGE_H_

#include <google/protobuf/field_mask.pb.h>

#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// What an update makes of a stored node. Pure functions, defined for Artifact,
// Execution and Context.

// The node as it is to be stored: `stored` with what `given` changes. Without a
// mask that is all that can change; with one only the fields that its paths
// name, and a path that names nothing that can change is ignored.
template <typename Node>
Node MergeNode(const Node& stored, const Node& given,
               const google::protobuf::FieldMask& mask);

// Whether two versions of a node differ in nothing that can change. The time of
// the last update is not looked at.
template <typename Node>
bool SameNode(const Node& a, const Node& b);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_NODE_MERGE_H_
