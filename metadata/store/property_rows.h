// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_PROPERTY_ROWS_H_
#define REKINDLE_METADATA_STORE_PROPERTY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include <google/protobuf/map.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metadata/sqlite/database.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

using PropertyMap = google::protobuf::Map<std::string, ml_metadata::Value>;

// Where the properties of a kind of node are: ArtifactProperty, artifact_id.
struct PropertyTable {
  absl::string_view table;
  absl::string_view id_column;
};

// What a node has, declared by its type and not.
struct Properties {
  PropertyMap* declared;
  PropertyMap* custom;
};

// Adds the stored properties of nodes, whose ids ascend, to where `into` says
// that those of the node at a place in `node_ids` go.
//
//   DATA_LOSS  a value cannot be decoded
absl::Status ReadProperties(Database& db, const PropertyTable& table,
                            absl::Span<const int64_t> node_ids,
                            absl::FunctionRef<Properties(size_t place)> into);

// The same, to be read.
struct StoredProperties {
  const PropertyMap& declared;
  const PropertyMap& custom;
};

// Makes the stored properties of the node, which are `stored`, equal to
// `wanted`. Touches only those that differ.
//
//   INVALID_ARGUMENT  a value is empty, or a proto without a type url
absl::Status WriteProperties(Database& db, const PropertyTable& table,
                             int64_t node_id, const StoredProperties& stored,
                             const StoredProperties& wanted);

bool SameProperties(const PropertyMap& a, const PropertyMap& b);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_PROPERTY_ROWS_H_
