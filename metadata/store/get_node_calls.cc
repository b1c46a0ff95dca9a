// Calls of SqliteMetadataStore that read nodes, events and edges.
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/event_rows.h"
#include "metadata/store/listing.h"
#include "metadata/store/move_into.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedField;
using ::google::protobuf::RepeatedPtrField;
using ::ml_metadata::Artifact;
using ::ml_metadata::ArtifactType;
using ::ml_metadata::Context;
using ::ml_metadata::Event;

// --- listings ---------------------------------------------------------------

template <typename Node, typename Request, typename Response>
absl::Status List(Database& db, const ListScope& scope, const Request& request,
                  RepeatedPtrField<Node>* into, Response& response) {
  if (!request.has_options()) {
    RK_ASSIGN_OR_RETURN(Nodes<Node> nodes, ListAllNodes<Node>(db, scope));
    MoveInto(std::move(nodes), into);
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(Page<Node> page,
                      ListNodes<Node>(db, scope, request.options()));
  MoveInto(std::move(page.nodes), into);
  if (!page.next_page_token.empty()) {
    response.set_next_page_token(page.next_page_token);
  }
  return absl::OkStatus();
}

template <typename Node, typename Request, typename Response>
absl::Status ListByType(Database& db, const Request& request,
                        RepeatedPtrField<Node>* into, Response& response) {
  RK_ASSIGN_OR_RETURN(const auto type,
                      FindTypeByName<typename NodeTraits<Node>::Type>(
                          db, request.type_name(), request.type_version()));
  if (!type.has_value()) return absl::OkStatus();
  return List(db, {.type_id = type->id()}, request, into, response);
}

// --- single nodes -----------------------------------------------------------

template <typename Node>
absl::Status AddById(Database& db, const RepeatedField<int64_t>& ids,
                     RepeatedPtrField<Node>* into) {
  RK_ASSIGN_OR_RETURN(Nodes<Node> nodes, FindNodes<Node>(db, ids));
  MoveInto(std::move(nodes), into);
  return absl::OkStatus();
}

absl::Status AddTypesOf(Database& db, const RepeatedPtrField<Artifact>& nodes,
                        RepeatedPtrField<ArtifactType>* into) {
  std::set<int64_t> type_ids;
  for (const Artifact& node : nodes) type_ids.insert(node.type_id());
  for (const int64_t id : type_ids) {
    RK_ASSIGN_OR_RETURN(auto type, FindTypeById<ArtifactType>(db, id));
    if (type.has_value()) *into->Add() = *std::move(type);
  }
  return absl::OkStatus();
}

absl::Status AddArtifactsAndTypes(
    Database& db, const ml_metadata::GetArtifactsByIDRequest& request,
    ml_metadata::GetArtifactsByIDResponse& response) {
  RK_RETURN_IF_ERROR(
      AddById(db, request.artifact_ids(), response.mutable_artifacts()));
  if (!request.populate_artifact_types()) return absl::OkStatus();
  return AddTypesOf(db, response.artifacts(),
                    response.mutable_artifact_types());
}

// `into` is called only if the node is there: an empty answer has no node.
template <typename Node, typename Request, typename Into>
absl::Status AddByName(Database& db, const Request& request,
                       const std::string& name, Into into) {
  RK_ASSIGN_OR_RETURN(const auto type,
                      FindTypeByName<typename NodeTraits<Node>::Type>(
                          db, request.type_name(), request.type_version()));
  if (!type.has_value()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(std::optional<Node> node,
                      FindNodeByName<Node>(db, type->id(), name));
  if (node.has_value()) *into() = *std::move(node);
  return absl::OkStatus();
}

absl::Status AddByUri(Database& db, const RepeatedPtrField<std::string>& uris,
                      RepeatedPtrField<Artifact>* into) {
  for (const std::string& uri :
       std::set<std::string>(uris.begin(), uris.end())) {
    RK_ASSIGN_OR_RETURN(Nodes<Artifact> found, FindArtifactsByUri(db, uri));
    MoveInto(std::move(found), into);
  }
  return absl::OkStatus();
}

template <typename Node>
absl::Status AddByExternalIds(Database& db,
                              const RepeatedPtrField<std::string>& external_ids,
                              RepeatedPtrField<Node>* into) {
  const std::set<std::string> wanted(external_ids.begin(), external_ids.end());
  for (const std::string& external_id : wanted) {
    if (external_id.empty()) {
      return absl::InvalidArgumentError("an external id is empty");
    }
    RK_ASSIGN_OR_RETURN(auto node, FindNodeByExternalId<Node>(db, external_id));
    if (node.has_value()) *into->Add() = *std::move(node);
  }
  if (!into->empty() || external_ids.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "no ", NodeTraits<Node>::kNoun, " has one of the given external ids"));
}

// --- events and edges -------------------------------------------------------

absl::Status AddEvents(absl::StatusOr<Events> events, Events* into) {
  RK_RETURN_IF_ERROR(events.status());
  MoveInto(*std::move(events), into);
  return absl::OkStatus();
}

absl::Status AddContexts(Database& db,
                         const absl::StatusOr<std::vector<int64_t>>& ids,
                         RepeatedPtrField<Context>* into) {
  RK_RETURN_IF_ERROR(ids.status());
  RK_ASSIGN_OR_RETURN(Nodes<Context> found, FindNodes<Context>(db, *ids));
  MoveInto(std::move(found), into);
  return absl::OkStatus();
}

absl::Status AddContextsOf(Database& db, const std::string& node,
                           const absl::StatusOr<std::vector<int64_t>>& ids,
                           RepeatedPtrField<Context>* into) {
  RK_RETURN_IF_ERROR(AddContexts(db, ids, into));
  if (!into->empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("no context holds ", node));
}

absl::Status AddParents(
    Database& db, const RepeatedField<int64_t>& children,
    ml_metadata::GetParentContextsByContextsResponse& response) {
  for (const int64_t child : children) {
    RK_ASSIGN_OR_RETURN(const auto ids, ParentContextIds(db, child));
    if (ids.empty()) continue;
    auto& per_child = (*response.mutable_contexts())[child];
    per_child.clear_parent_contexts();
    RK_RETURN_IF_ERROR(
        AddContexts(db, ids, per_child.mutable_parent_contexts()));
  }
  return absl::OkStatus();
}

absl::Status AddChildren(
    Database& db, const RepeatedField<int64_t>& parents,
    ml_metadata::GetChildrenContextsByContextsResponse& response) {
  for (const int64_t parent : parents) {
    RK_ASSIGN_OR_RETURN(const auto ids, ChildContextIds(db, parent));
    if (ids.empty()) continue;
    auto& per_parent = (*response.mutable_contexts())[parent];
    per_parent.clear_children_contexts();
    RK_RETURN_IF_ERROR(
        AddContexts(db, ids, per_parent.mutable_children_contexts()));
  }
  return absl::OkStatus();
}

}  // namespace

#define RK_DEFINE(Rpc, call)                                           \
  absl::StatusOr<ml_metadata::Rpc##Response> SqliteMetadataStore::Rpc( \
      const ml_metadata::Rpc##Request& request) const {                \
    return transactor_.Read<ml_metadata::Rpc##Response>(               \
        [&](Database& db, ml_metadata::Rpc##Response& response) {      \
          return call;                                                 \
        });                                                            \
  }

RK_DEFINE(GetArtifacts,
          List(db, {}, request, response.mutable_artifacts(), response))
RK_DEFINE(GetExecutions,
          List(db, {}, request, response.mutable_executions(), response))
RK_DEFINE(GetContexts,
          List(db, {}, request, response.mutable_contexts(), response))

RK_DEFINE(GetArtifactsByType,
          ListByType(db, request, response.mutable_artifacts(), response))
RK_DEFINE(GetExecutionsByType,
          ListByType(db, request, response.mutable_executions(), response))
RK_DEFINE(GetContextsByType,
          ListByType(db, request, response.mutable_contexts(), response))

RK_DEFINE(GetArtifactsByContext,
          List(db, ListScope{.context_id = request.context_id()}, request,
               response.mutable_artifacts(), response))
RK_DEFINE(GetExecutionsByContext,
          List(db, ListScope{.context_id = request.context_id()}, request,
               response.mutable_executions(), response))

RK_DEFINE(GetArtifactsByID, AddArtifactsAndTypes(db, request, response))
RK_DEFINE(GetExecutionsByID,
          AddById(db, request.execution_ids(), response.mutable_executions()))
RK_DEFINE(GetContextsByID,
          AddById(db, request.context_ids(), response.mutable_contexts()))

RK_DEFINE(GetArtifactByTypeAndName,
          AddByName<Artifact>(db, request, request.artifact_name(),
                              [&] { return response.mutable_artifact(); }))
RK_DEFINE(GetExecutionByTypeAndName,
          AddByName<ml_metadata::Execution>(
              db, request, request.execution_name(),
              [&] { return response.mutable_execution(); }))
RK_DEFINE(GetContextByTypeAndName,
          AddByName<Context>(db, request, request.context_name(),
                             [&] { return response.mutable_context(); }))

RK_DEFINE(GetArtifactsByURI,
          AddByUri(db, request.uris(), response.mutable_artifacts()))

RK_DEFINE(GetArtifactsByExternalIds,
          AddByExternalIds(db, request.external_ids(),
                           response.mutable_artifacts()))
RK_DEFINE(GetExecutionsByExternalIds,
          AddByExternalIds(db, request.external_ids(),
                           response.mutable_executions()))
RK_DEFINE(GetContextsByExternalIds,
          AddByExternalIds(db, request.external_ids(),
                           response.mutable_contexts()))

RK_DEFINE(GetEventsByExecutionIDs,
          AddEvents(FindEventsByExecutions(db, request.execution_ids()),
                    response.mutable_events()))
RK_DEFINE(GetEventsByArtifactIDs,
          AddEvents(FindEventsByArtifacts(db, request.artifact_ids()),
                    response.mutable_events()))

RK_DEFINE(GetContextsByArtifact,
          AddContextsOf(db, absl::StrCat("artifact ", request.artifact_id()),
                        ContextIdsOfArtifact(db, request.artifact_id()),
                        response.mutable_contexts()))
RK_DEFINE(GetContextsByExecution,
          AddContextsOf(db, absl::StrCat("execution ", request.execution_id()),
                        ContextIdsOfExecution(db, request.execution_id()),
                        response.mutable_contexts()))
RK_DEFINE(GetParentContextsByContext,
          AddContexts(db, ParentContextIds(db, request.context_id()),
                      response.mutable_contexts()))
RK_DEFINE(GetChildrenContextsByContext,
          AddContexts(db, ChildContextIds(db, request.context_id()),
                      response.mutable_contexts()))
RK_DEFINE(GetParentContextsByContexts,
          AddParents(db, request.context_ids(), response))
RK_DEFINE(GetChildrenContextsByContexts,
          AddChildren(db, request.context_ids(), response))

#undef RK_DEFINE

}  // namespace rekindle
