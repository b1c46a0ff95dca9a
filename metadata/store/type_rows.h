// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_TYPE_ROWS_H_
#define REKINDLE_METADATA_STORE_TYPE_ROWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "metadata/api/node_traits.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Rows of Type, TypeProperty and ParentType. Defined for ArtifactType,
// ExecutionType and ContextType; each sees only types of its kind.

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeById(Database& db, int64_t id);

// An empty version is the same as none.
template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeByName(Database& db,
                                                   absl::string_view name,
                                                   absl::string_view version);

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeByExternalId(
    Database& db, absl::string_view external_id);

// All of the kind, in order of id; with or without those that every store has
// for base types.
template <typename Type>
absl::StatusOr<std::vector<Type>> ListAllTypes(Database& db);
template <typename Type>
absl::StatusOr<std::vector<Type>> ListTypes(Database& db);

// What a declaration may do to the stored type of the same name and version.
struct TypeEvolution {
  bool can_add_fields = false;
  bool can_omit_fields = false;
};

// Declares the type and returns its id.
//
//   INVALID_ARGUMENT  no name, or a property of unknown type
//   ALREADY_EXISTS    the stored type differs, or the external id is taken
//   UNIMPLEMENTED     the base type would change
template <typename Type>
absl::StatusOr<int64_t> PutType(Database& db, const Type& type,
                                const TypeEvolution& evolution);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_TYPE_ROWS_H_
