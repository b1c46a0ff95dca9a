// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_DECLARED_TYPES_H_
#define REKINDLE_METADATA_STORE_DECLARED_TYPES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "metadata/api/node_traits.h"
#include "metadata/sqlite/database.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// What nodes of a type may have.
struct DeclaredType {
  std::string name;
  absl::flat_hash_map<std::string, ml_metadata::PropertyType> properties;
};

// The types that a call needs, each read once. Lives no longer than the call,
// which may not declare types meanwhile. Thread-compatible.
class DeclaredTypes {
 public:
  // `db` is not owned and must outlive this.
  explicit DeclaredTypes(Database& db) : db_(db) {}

  // The type of the kind with this id, null if there is none. Valid as long as
  // this is.
  absl::StatusOr<const DeclaredType*> Find(NodeKind kind, int64_t id);

 private:
  Database& db_;
  absl::node_hash_map<std::pair<NodeKind, int64_t>, DeclaredType> found_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_DECLARED_TYPES_H_
