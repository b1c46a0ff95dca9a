// Calls of SqliteMetadataStore that read types.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedField;
using ::google::protobuf::RepeatedPtrField;

template <typename Type, typename Request>
absl::Status FindTypeInto(Database& db, const Request& request, Type* into) {
  RK_ASSIGN_OR_RETURN(auto type, FindTypeByName<Type>(db, request.type_name(),
                                                      request.type_version()));
  if (!type.has_value()) {
    return absl::NotFoundError(absl::StrCat(
        "there is no ", NodeTraits<Type>::kNoun, " type '", request.type_name(),
        "' with version '", request.type_version(), "'"));
  }
  *into = *std::move(type);
  return absl::OkStatus();
}

template <typename Type>
absl::Status FindTypesByIdInto(Database& db, const RepeatedField<int64_t>& ids,
                               RepeatedPtrField<Type>* into) {
  for (const int64_t id : ids) {
    RK_ASSIGN_OR_RETURN(auto type, FindTypeById<Type>(db, id));
    if (type.has_value()) *into->Add() = *std::move(type);
  }
  return absl::OkStatus();
}

template <typename Type>
absl::Status FindTypesInto(Database& db, RepeatedPtrField<Type>* into) {
  RK_ASSIGN_OR_RETURN(std::vector<Type> types, ListTypes<Type>(db));
  for (Type& type : types) *into->Add() = std::move(type);
  return absl::OkStatus();
}

template <typename Type>
absl::Status FindTypesByExternalIdsInto(
    Database& db, const RepeatedPtrField<std::string>& external_ids,
    RepeatedPtrField<Type>* into) {
  const std::set<std::string> wanted(external_ids.begin(), external_ids.end());
  for (const std::string& external_id : wanted) {
    if (external_id.empty()) {
      return absl::InvalidArgumentError("an external id is empty");
    }
    RK_ASSIGN_OR_RETURN(auto type, FindTypeByExternalId<Type>(db, external_id));
    if (type.has_value()) *into->Add() = *std::move(type);
  }
  if (!into->empty() || external_ids.empty()) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("no ", NodeTraits<Type>::kNoun,
                   " type has one of the given external ids"));
}

}  // namespace

#define RK_DEFINE(Rpc, call)                                             \
  absl::StatusOr<ml_metadata::Rpc##Response> SqliteMetadataStore::Rpc(   \
      [[maybe_unused]] const ml_metadata::Rpc##Request& request) const { \
    return transactor_.Read<ml_metadata::Rpc##Response>(                 \
        [&](Database& db, ml_metadata::Rpc##Response& response) {        \
          return call;                                                   \
        });                                                              \
  }

RK_DEFINE(GetArtifactType,
          FindTypeInto(db, request, response.mutable_artifact_type()))
RK_DEFINE(GetExecutionType,
          FindTypeInto(db, request, response.mutable_execution_type()))
RK_DEFINE(GetContextType,
          FindTypeInto(db, request, response.mutable_context_type()))

RK_DEFINE(GetArtifactTypesByID,
          FindTypesByIdInto(db, request.type_ids(),
                            response.mutable_artifact_types()))
RK_DEFINE(GetExecutionTypesByID,
          FindTypesByIdInto(db, request.type_ids(),
                            response.mutable_execution_types()))
RK_DEFINE(GetContextTypesByID,
          FindTypesByIdInto(db, request.type_ids(),
                            response.mutable_context_types()))

RK_DEFINE(GetArtifactTypes,
          FindTypesInto(db, response.mutable_artifact_types()))
RK_DEFINE(GetExecutionTypes,
          FindTypesInto(db, response.mutable_execution_types()))
RK_DEFINE(GetContextTypes, FindTypesInto(db, response.mutable_context_types()))

RK_DEFINE(GetArtifactTypesByExternalIds,
          FindTypesByExternalIdsInto(db, request.external_ids(),
                                     response.mutable_artifact_types()))
RK_DEFINE(GetExecutionTypesByExternalIds,
          FindTypesByExternalIdsInto(db, request.external_ids(),
                                     response.mutable_execution_types()))
RK_DEFINE(GetContextTypesByExternalIds,
          FindTypesByExternalIdsInto(db, request.external_ids(),
                                     response.mutable_context_types()))

#undef RK_DEFINE

}  // namespace rekindle
