// Calls of SqliteMetadataStore that write.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/event_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/put_node.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedField;
using ::google::protobuf::RepeatedPtrField;
using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Event;
using ::ml_metadata::PutExecutionRequest;
using ::ml_metadata::PutExecutionResponse;
using ::ml_metadata::PutLineageSubgraphRequest;
using ::ml_metadata::PutLineageSubgraphResponse;

// --- types ------------------------------------------------------------------

// What the request allows to happen to stored types.
template <typename Request>
absl::StatusOr<TypeEvolution> EvolutionOf(const Request& request) {
  if (!request.all_fields_match()) {
    return absl::UnimplementedError("all_fields_match must be true");
  }
  return TypeEvolution{.can_add_fields = request.can_add_fields(),
                       .can_omit_fields = request.can_omit_fields()};
}

template <typename Type, typename Request, typename Response>
absl::Status PutOneType(Database& db, const Type& type, const Request& request,
                        Response& response) {
  RK_ASSIGN_OR_RETURN(const TypeEvolution evolution, EvolutionOf(request));
  RK_ASSIGN_OR_RETURN(const int64_t id, PutType(db, type, evolution));
  response.set_type_id(id);
  return absl::OkStatus();
}

template <typename Type>
absl::Status PutTypesOfKind(Database& db, const RepeatedPtrField<Type>& types,
                            const TypeEvolution& evolution,
                            RepeatedField<int64_t>* ids) {
  for (const Type& type : types) {
    RK_ASSIGN_OR_RETURN(const int64_t id, PutType(db, type, evolution));
    ids->Add(id);
  }
  return absl::OkStatus();
}

absl::Status PutAllTypes(Database& db,
                         const ml_metadata::PutTypesRequest& request,
                         ml_metadata::PutTypesResponse& response) {
  RK_ASSIGN_OR_RETURN(const TypeEvolution evolution, EvolutionOf(request));
  RK_RETURN_IF_ERROR(PutTypesOfKind(db, request.artifact_types(), evolution,
                                    response.mutable_artifact_type_ids()));
  RK_RETURN_IF_ERROR(PutTypesOfKind(db, request.execution_types(), evolution,
                                    response.mutable_execution_type_ids()));
  return PutTypesOfKind(db, request.context_types(), evolution,
                        response.mutable_context_type_ids());
}

// --- nodes ------------------------------------------------------------------

absl::Status PutAllArtifacts(Database& db,
                             const ml_metadata::PutArtifactsRequest& request,
                             int64_t now_millis,
                             ml_metadata::PutArtifactsResponse& response) {
  const PutNodeOptions options = {
      .now_millis = now_millis,
      .update_mask = request.update_mask(),
      .check_update_time =
          request.options().abort_if_latest_updated_time_changed()};
  return PutNodes(db, request.artifacts(), options,
                  response.mutable_artifact_ids());
}

absl::Status PutAllEvents(Database& db, const RepeatedPtrField<Event>& events,
                          int64_t now_millis) {
  for (const Event& event : events) {
    RK_RETURN_IF_ERROR(PutEvent(db, event, now_millis));
  }
  return absl::OkStatus();
}

// --- edges ------------------------------------------------------------------

absl::Status PutEdges(
    Database& db,
    const ml_metadata::PutAttributionsAndAssociationsRequest& request) {
  for (const auto& edge : request.attributions()) {
    RK_RETURN_IF_ERROR(
        PutAttribution(db, edge.context_id(), edge.artifact_id()));
  }
  for (const auto& edge : request.associations()) {
    RK_RETURN_IF_ERROR(
        PutAssociation(db, edge.context_id(), edge.execution_id()));
  }
  return absl::OkStatus();
}

absl::Status PutParents(Database& db,
                        const ml_metadata::PutParentContextsRequest& request) {
  for (const auto& edge : request.parent_contexts()) {
    if (!edge.has_child_id() || !edge.has_parent_id()) {
      return absl::InvalidArgumentError(
          "a parent context needs a child_id and a parent_id");
    }
    RK_RETURN_IF_ERROR(PutParentContext(db, edge.child_id(), edge.parent_id()));
  }
  return absl::OkStatus();
}

// --- subgraphs --------------------------------------------------------------

// Puts an artifact, or updates the one that has its external id if `reuse`.
absl::StatusOr<int64_t> PutOrReuseArtifact(Database& db,
                                           const Artifact& artifact, bool reuse,
                                           const PutNodeOptions& options) {
  if (!reuse || artifact.has_id() || artifact.external_id().empty()) {
    return PutNode(db, artifact, options);
  }
  RK_ASSIGN_OR_RETURN(const auto stored, FindNodeByExternalId<Artifact>(
                                             db, artifact.external_id()));
  if (!stored.has_value()) return PutNode(db, artifact, options);
  Artifact update = artifact;
  update.set_id(stored->id());
  return PutNode(db, update, options);
}

absl::StatusOr<int64_t> FindContext(Database& db, const Context& context) {
  RK_ASSIGN_OR_RETURN(const bool stored, NodeExists<Context>(db, context.id()));
  if (stored) return context.id();
  return absl::NotFoundError(
      absl::StrCat("there is no context with id ", context.id()));
}

struct ContextReuse {
  bool by_name = false;  // a stored context of this type and name is the one
  bool by_id = false;    // a context with an id is used as it is stored
};

// Puts a context, or uses a stored one unchanged where `reuse` says so.
absl::StatusOr<int64_t> PutOrReuseContext(Database& db, const Context& context,
                                          const ContextReuse& reuse,
                                          const PutNodeOptions& options) {
  if (reuse.by_id && context.has_id()) return FindContext(db, context);
  if (!context.has_type_id() || context.name().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "context '", context.name(), "' needs a type_id and a name"));
  }
  if (reuse.by_name && !context.has_id()) {
    RK_ASSIGN_OR_RETURN(
        const std::optional<int64_t> stored,
        FindNodeIdByName<Context>(db, context.type_id(), context.name()));
    if (stored.has_value()) return *stored;
  }
  return PutNode(db, context, options);
}

// Every execution and artifact belongs to every context. All have been put, or
// found by their events.
absl::Status JoinContexts(Database& db, const RepeatedField<int64_t>& contexts,
                          const RepeatedField<int64_t>& executions,
                          const RepeatedField<int64_t>& artifacts) {
  for (const int64_t context : contexts) {
    for (const int64_t execution : executions) {
      RK_RETURN_IF_ERROR(AddAssociation(db, context, execution));
    }
    for (const int64_t artifact : artifacts) {
      RK_RETURN_IF_ERROR(AddAttribution(db, context, artifact));
    }
  }
  return absl::OkStatus();
}

// What stands for the artifact of an empty pair.
constexpr int64_t kNoArtifact = -1;

// The id of a pair's artifact: of the one put, or of the one its event names.
absl::StatusOr<int64_t> PutPairArtifact(
    Database& db, const PutExecutionRequest::ArtifactAndEvent& pair, bool reuse,
    const PutNodeOptions& options) {
  const Event& event = pair.event();
  if (!pair.has_artifact()) {
    if (event.has_artifact_id()) return event.artifact_id();
    if (!pair.has_event()) return kNoArtifact;
    return absl::InvalidArgumentError(
        "an event without an artifact must have an artifact_id");
  }
  return PutOrReuseArtifact(db, pair.artifact(), reuse, options);
}

absl::Status PutPairEvent(Database& db, Event event, int64_t artifact_id,
                          int64_t execution_id, int64_t now_millis) {
  if (event.has_execution_id() && event.execution_id() != execution_id) {
    return absl::InvalidArgumentError(
        absl::StrCat("an event names execution ", event.execution_id(),
                     ", but is put with another one"));
  }
  if (event.has_artifact_id() && event.artifact_id() != artifact_id) {
    return absl::InvalidArgumentError(
        absl::StrCat("an event names artifact ", event.artifact_id(),
                     ", but stands beside another one"));
  }
  event.set_artifact_id(artifact_id);
  event.set_execution_id(execution_id);
  return PutEvent(db, event, now_millis);
}

absl::Status PutExecutionAndEvents(Database& db,
                                   const PutExecutionRequest& request,
                                   const PutNodeOptions& options,
                                   PutExecutionResponse& response) {
  if (!request.has_execution()) {
    return absl::InvalidArgumentError("the request has no execution");
  }
  const bool reuse =
      request.options().reuse_artifact_if_already_exist_by_external_id();
  for (const auto& pair : request.artifact_event_pairs()) {
    RK_ASSIGN_OR_RETURN(const int64_t id,
                        PutPairArtifact(db, pair, reuse, options));
    response.add_artifact_ids(id);
  }
  PutNodeOptions execution_options = options;
  execution_options.force_update_time = request.options().force_update_time();
  RK_ASSIGN_OR_RETURN(const int64_t execution_id,
                      PutNode(db, request.execution(), execution_options));
  response.set_execution_id(execution_id);
  for (int i = 0; i < request.artifact_event_pairs_size(); ++i) {
    const auto& pair = request.artifact_event_pairs(i);
    if (!pair.has_event()) continue;
    RK_RETURN_IF_ERROR(PutPairEvent(db, pair.event(), response.artifact_ids(i),
                                    execution_id, options.now_millis));
  }
  return absl::OkStatus();
}

absl::Status PutWholeExecution(Database& db, const PutExecutionRequest& request,
                               int64_t now_millis,
                               PutExecutionResponse& response) {
  const PutNodeOptions options = {.now_millis = now_millis};
  RK_RETURN_IF_ERROR(PutExecutionAndEvents(db, request, options, response));
  const ContextReuse reuse = {
      .by_name = request.options().reuse_context_if_already_exist(),
      .by_id = request.options().force_reuse_context()};
  for (const Context& context : request.contexts()) {
    RK_ASSIGN_OR_RETURN(const int64_t id,
                        PutOrReuseContext(db, context, reuse, options));
    response.add_context_ids(id);
  }
  RepeatedField<int64_t> executions;
  executions.Add(response.execution_id());
  RepeatedField<int64_t> artifacts;
  for (const int64_t id : response.artifact_ids()) {
    if (id != kNoArtifact) artifacts.Add(id);
  }
  return JoinContexts(db, response.context_ids(), executions, artifacts);
}

// One end of an event edge: a node of the request by its index, or a stored one
// by its id.
struct EdgeEnd {
  absl::string_view noun;
  std::optional<int> index = std::nullopt;
  std::optional<int64_t> id = std::nullopt;
};

EdgeEnd ExecutionEnd(const PutLineageSubgraphRequest::EventEdge& edge) {
  EdgeEnd end = {.noun = "execution"};
  if (edge.has_execution_index()) end.index = edge.execution_index();
  if (edge.event().has_execution_id()) end.id = edge.event().execution_id();
  return end;
}

EdgeEnd ArtifactEnd(const PutLineageSubgraphRequest::EventEdge& edge) {
  EdgeEnd end = {.noun = "artifact"};
  if (edge.has_artifact_index()) end.index = edge.artifact_index();
  if (edge.event().has_artifact_id()) end.id = edge.event().artifact_id();
  return end;
}

absl::Status CheckEnd(const EdgeEnd& end, int count) {
  if (end.index.has_value() && (*end.index < 0 || *end.index >= count)) {
    return absl::OutOfRangeError(absl::StrCat("an event edge has ", end.noun,
                                              "_index ", *end.index,
                                              ", but the request has ", count));
  }
  if (!end.index.has_value() && !end.id.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("an event edge has neither ",
                                                   end.noun, "_index nor ",
                                                   end.noun, "_id"));
  }
  return absl::OkStatus();
}

absl::Status CheckEdges(const PutLineageSubgraphRequest& request) {
  for (const auto& edge : request.event_edges()) {
    if (!edge.has_event()) {
      return absl::InvalidArgumentError("an event edge has no event");
    }
    RK_RETURN_IF_ERROR(CheckEnd(ExecutionEnd(edge), request.executions_size()));
    RK_RETURN_IF_ERROR(CheckEnd(ArtifactEnd(edge), request.artifacts_size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> IdOf(const EdgeEnd& end,
                             const RepeatedField<int64_t>& ids) {
  if (!end.index.has_value()) return *end.id;
  const int64_t id = ids.Get(*end.index);
  if (!end.id.has_value() || *end.id == id) return id;
  return absl::InvalidArgumentError(
      absl::StrCat("an event edge names ", end.noun, " ", *end.id,
                   " beside another ", end.noun, "_index"));
}

absl::Status PutEventEdge(Database& db,
                          const PutLineageSubgraphRequest::EventEdge& edge,
                          const PutLineageSubgraphResponse& nodes,
                          int64_t now_millis) {
  Event event = edge.event();
  RK_ASSIGN_OR_RETURN(const int64_t execution_id,
                      IdOf(ExecutionEnd(edge), nodes.execution_ids()));
  RK_ASSIGN_OR_RETURN(const int64_t artifact_id,
                      IdOf(ArtifactEnd(edge), nodes.artifact_ids()));
  event.set_execution_id(execution_id);
  event.set_artifact_id(artifact_id);
  return PutEvent(db, event, now_millis);
}

// In a subgraph even a stored node must name its type.
absl::Status CheckSubgraph(Database& db,
                           const PutLineageSubgraphRequest& request) {
  RK_RETURN_IF_ERROR(CheckEdges(request));
  RK_RETURN_IF_ERROR(CheckNodes(db, request.artifacts()));
  RK_RETURN_IF_ERROR(CheckNodes(db, request.executions()));
  return CheckNodes(db, request.contexts());
}

absl::Status PutSubgraphNodes(Database& db,
                              const PutLineageSubgraphRequest& request,
                              const PutNodeOptions& options,
                              PutLineageSubgraphResponse& response) {
  const auto& wanted = request.options();
  for (const Context& context : request.contexts()) {
    RK_ASSIGN_OR_RETURN(
        const int64_t id,
        PutOrReuseContext(db, context,
                          {.by_name = wanted.reuse_context_if_already_exist()},
                          options));
    response.add_context_ids(id);
  }
  for (const Artifact& artifact : request.artifacts()) {
    RK_ASSIGN_OR_RETURN(
        const int64_t id,
        PutOrReuseArtifact(
            db, artifact,
            wanted.reuse_artifact_if_already_exist_by_external_id(), options));
    response.add_artifact_ids(id);
  }
  return PutNodes(db, request.executions(), options,
                  response.mutable_execution_ids());
}

absl::Status PutSubgraph(Database& db, const PutLineageSubgraphRequest& request,
                         int64_t now_millis,
                         PutLineageSubgraphResponse& response) {
  RK_RETURN_IF_ERROR(CheckSubgraph(db, request));
  RK_RETURN_IF_ERROR(
      PutSubgraphNodes(db, request, {.now_millis = now_millis}, response));
  for (const auto& edge : request.event_edges()) {
    RK_RETURN_IF_ERROR(PutEventEdge(db, edge, response, now_millis));
  }
  return JoinContexts(db, response.context_ids(), response.execution_ids(),
                      response.artifact_ids());
}

}  // namespace

#define RK_DEFINE(Rpc, call)                                           \
  absl::StatusOr<ml_metadata::Rpc##Response> SqliteMetadataStore::Rpc( \
      const ml_metadata::Rpc##Request& request) {                      \
    return transactor_.Write<ml_metadata::Rpc##Response>(              \
        [&](Database& db,                                              \
            [[maybe_unused]] ml_metadata::Rpc##Response& response) {   \
          return call;                                                 \
        });                                                            \
  }

RK_DEFINE(PutArtifactType,
          PutOneType(db, request.artifact_type(), request, response))
RK_DEFINE(PutExecutionType,
          PutOneType(db, request.execution_type(), request, response))
RK_DEFINE(PutContextType,
          PutOneType(db, request.context_type(), request, response))
RK_DEFINE(PutTypes, PutAllTypes(db, request, response))

RK_DEFINE(PutArtifacts,
          PutAllArtifacts(db, request, clock_.NowMillis(), response))
RK_DEFINE(PutExecutions, PutNodes(db, request.executions(),
                                  {.now_millis = clock_.NowMillis(),
                                   .update_mask = request.update_mask()},
                                  response.mutable_execution_ids()))
RK_DEFINE(PutContexts, PutNodes(db, request.contexts(),
                                {.now_millis = clock_.NowMillis(),
                                 .update_mask = request.update_mask()},
                                response.mutable_context_ids()))
RK_DEFINE(PutEvents, PutAllEvents(db, request.events(), clock_.NowMillis()))
RK_DEFINE(PutExecution,
          PutWholeExecution(db, request, clock_.NowMillis(), response))
RK_DEFINE(PutLineageSubgraph,
          PutSubgraph(db, request, clock_.NowMillis(), response))
RK_DEFINE(PutAttributionsAndAssociations, PutEdges(db, request))
RK_DEFINE(PutParentContexts, PutParents(db, request))

#undef RK_DEFINE

}  // namespace rekindle
