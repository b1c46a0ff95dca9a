// Calls of SqliteMetadataStore that walk the lineage.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/lineage.h"
#include "metadata/store/listing.h"
#include "metadata/store/move_into.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedPtrField;
using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Execution;
using ::ml_metadata::GetLineageGraphRequest;
using ::ml_metadata::GetLineageSubgraphRequest;
using ::ml_metadata::LineageGraph;
using ::ml_metadata::LineageGraphQueryOptions;
using ::ml_metadata::LineageSubgraphQueryOptions;

// More hops than these are read as these.
constexpr int64_t kMaxHops = 100;

std::vector<int64_t> ToVector(const std::set<int64_t>& ids) {
  return {ids.begin(), ids.end()};
}

absl::Status NothingToStartFrom() {
  return absl::NotFoundError("no node passes the filter of the starting nodes");
}

absl::Status CheckNotNegative(const char* name, int64_t value) {
  if (value >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " cannot be negative: ", value));
}

// --- GetLineageSubgraph -----------------------------------------------------

std::optional<WalkEnd> EndOf(
    bool is_set, const LineageSubgraphQueryOptions::EndingNodes& end) {
  if (!is_set || !end.has_filter_query()) return std::nullopt;
  return WalkEnd{end.filter_query(), end.include_ending_nodes()};
}

WalkOptions WalkOf(const LineageSubgraphQueryOptions& query) {
  using Query = LineageSubgraphQueryOptions;
  return {.upstream = query.direction() != Query::DOWNSTREAM,
          .downstream = query.direction() != Query::UPSTREAM,
          .max_hops = query.has_max_num_hops()
                          ? std::min(query.max_num_hops(), kMaxHops)
                          : kMaxHops,
          .max_nodes = std::numeric_limits<int64_t>::max(),
          .end_artifacts =
              EndOf(query.has_ending_artifacts(), query.ending_artifacts()),
          .end_executions =
              EndOf(query.has_ending_executions(), query.ending_executions())};
}

absl::StatusOr<Walked> WalkFor(Database& db,
                               const LineageSubgraphQueryOptions& query) {
  RK_RETURN_IF_ERROR(CheckNotNegative("max_num_hops", query.max_num_hops()));
  const bool from_artifacts = query.has_starting_artifacts();
  const std::string& filter = from_artifacts
                                  ? query.starting_artifacts().filter_query()
                                  : query.starting_executions().filter_query();
  if (filter.empty()) {
    return absl::InvalidArgumentError(
        "starting_artifacts or starting_executions needs a filter_query");
  }
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> start,
                      from_artifacts ? FilterIds<Artifact>(db, filter)
                                     : FilterIds<Execution>(db, filter));
  if (start.empty()) return NothingToStartFrom();
  return from_artifacts ? WalkFromArtifacts(db, start, WalkOf(query))
                        : WalkFromExecutions(db, start, WalkOf(query));
}

// Memberships of the nodes met, and the contexts of these memberships by id.
absl::Status AddMembers(Database& db, const Walked& walked,
                        LineageGraph* graph) {
  RK_ASSIGN_OR_RETURN(auto attributions,
                      FindAttributions(db, ToVector(walked.artifacts)));
  RK_ASSIGN_OR_RETURN(auto associations,
                      FindAssociations(db, ToVector(walked.executions)));
  std::set<int64_t> contexts;
  for (const auto& edge : attributions) contexts.insert(edge.context_id());
  for (const auto& edge : associations) contexts.insert(edge.context_id());
  for (const int64_t id : contexts) graph->add_contexts()->set_id(id);
  MoveInto(std::move(attributions), graph->mutable_attributions());
  MoveInto(std::move(associations), graph->mutable_associations());
  return absl::OkStatus();
}

absl::Status AddAllTypes(Database& db, LineageGraph* graph) {
  RK_ASSIGN_OR_RETURN(auto artifacts,
                      ListAllTypes<ml_metadata::ArtifactType>(db));
  RK_ASSIGN_OR_RETURN(auto executions,
                      ListAllTypes<ml_metadata::ExecutionType>(db));
  RK_ASSIGN_OR_RETURN(auto contexts,
                      ListAllTypes<ml_metadata::ContextType>(db));
  MoveInto(std::move(artifacts), graph->mutable_artifact_types());
  MoveInto(std::move(executions), graph->mutable_execution_types());
  MoveInto(std::move(contexts), graph->mutable_context_types());
  return absl::OkStatus();
}

// Clears the fields that a mask does not name; an empty mask names all.
void ApplyMask(const google::protobuf::FieldMask& mask, LineageGraph* graph) {
  if (mask.paths().empty()) return;
  const auto* descriptor = LineageGraph::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (std::find(mask.paths().begin(), mask.paths().end(), field->name()) ==
        mask.paths().end()) {
      LineageGraph::GetReflection()->ClearField(graph, field);
    }
  }
}

absl::Status DoGetSubgraph(Database& db,
                           const GetLineageSubgraphRequest& request,
                           LineageGraph* graph) {
  RK_ASSIGN_OR_RETURN(Walked walked,
                      WalkFor(db, request.lineage_subgraph_query_options()));
  for (const int64_t id : walked.artifacts) {
    graph->add_artifacts()->set_id(id);
  }
  for (const int64_t id : walked.executions) {
    graph->add_executions()->set_id(id);
  }
  RK_RETURN_IF_ERROR(AddMembers(db, walked, graph));
  RK_RETURN_IF_ERROR(AddAllTypes(db, graph));
  MoveInto(std::move(walked.events), graph->mutable_events());
  ApplyMask(request.read_mask(), graph);
  return absl::OkStatus();
}

// --- GetLineageGraph --------------------------------------------------------

std::optional<WalkEnd> BoundaryOf(bool is_set, const std::string& filter) {
  if (!is_set) return std::nullopt;
  return WalkEnd{filter, /*included=*/false};
}

WalkOptions WalkOf(const LineageGraphQueryOptions& query) {
  const auto& stop = query.stop_conditions();
  return {.max_hops = stop.has_max_num_hops()
                          ? std::min(stop.max_num_hops(), kMaxHops)
                          : kMaxHops,
          .max_nodes = query.max_node_size(),
          .end_artifacts = BoundaryOf(stop.has_boundary_artifacts(),
                                      stop.boundary_artifacts()),
          .end_executions = BoundaryOf(stop.has_boundary_executions(),
                                       stop.boundary_executions())};
}

absl::StatusOr<Walked> WalkFor(Database& db,
                               const LineageGraphQueryOptions& query) {
  if (!query.has_artifacts_options()) {
    return absl::InvalidArgumentError(
        "a lineage graph starts from artifacts: set artifacts_options");
  }
  RK_RETURN_IF_ERROR(
      CheckNotNegative("max_num_hops", query.stop_conditions().max_num_hops()));
  RK_RETURN_IF_ERROR(CheckNotNegative("max_node_size", query.max_node_size()));
  RK_ASSIGN_OR_RETURN(const Page<Artifact> page,
                      ListNodes<Artifact>(db, {}, query.artifacts_options()));
  std::vector<int64_t> start;
  for (const Artifact& artifact : page.nodes) start.push_back(artifact.id());
  if (start.empty()) return NothingToStartFrom();
  return WalkFromArtifacts(db, start, WalkOf(query));
}

// Replaces nodes that have only an id by whole ones, and adds their types.
template <typename Node>
absl::Status Hydrate(Database& db, RepeatedPtrField<Node>* nodes,
                     RepeatedPtrField<typename NodeTraits<Node>::Type>* types) {
  std::vector<int64_t> ids;
  for (const Node& node : *nodes) ids.push_back(node.id());
  RK_ASSIGN_OR_RETURN(Nodes<Node> whole, FindNodes<Node>(db, ids));
  std::set<int64_t> type_ids;
  for (const Node& node : whole) type_ids.insert(node.type_id());
  for (const int64_t id : type_ids) {
    RK_ASSIGN_OR_RETURN(auto type,
                        FindTypeById<typename NodeTraits<Node>::Type>(db, id));
    if (type.has_value()) *types->Add() = *std::move(type);
  }
  nodes->Clear();
  MoveInto(std::move(whole), nodes);
  return absl::OkStatus();
}

absl::Status DoGetGraph(Database& db, const GetLineageGraphRequest& request,
                        LineageGraph* graph) {
  RK_ASSIGN_OR_RETURN(Walked walked, WalkFor(db, request.options()));
  for (const int64_t id : walked.artifacts) {
    graph->add_artifacts()->set_id(id);
  }
  for (const int64_t id : walked.executions) {
    graph->add_executions()->set_id(id);
  }
  RK_RETURN_IF_ERROR(AddMembers(db, walked, graph));
  MoveInto(std::move(walked.events), graph->mutable_events());
  RK_RETURN_IF_ERROR(
      Hydrate(db, graph->mutable_artifacts(), graph->mutable_artifact_types()));
  RK_RETURN_IF_ERROR(Hydrate(db, graph->mutable_executions(),
                             graph->mutable_execution_types()));
  return Hydrate(db, graph->mutable_contexts(), graph->mutable_context_types());
}

}  // namespace

absl::StatusOr<ml_metadata::GetLineageSubgraphResponse>
SqliteMetadataStore::GetLineageSubgraph(
    const GetLineageSubgraphRequest& request) const {
  return transactor_.Read<ml_metadata::GetLineageSubgraphResponse>(
      [&](Database& db, ml_metadata::GetLineageSubgraphResponse& response) {
        return DoGetSubgraph(db, request, response.mutable_lineage_subgraph());
      });
}

absl::StatusOr<ml_metadata::GetLineageGraphResponse>
SqliteMetadataStore::GetLineageGraph(
    const GetLineageGraphRequest& request) const {
  return transactor_.Read<ml_metadata::GetLineageGraphResponse>(
      [&](Database& db, ml_metadata::GetLineageGraphResponse& response) {
        return DoGetGraph(db, request, response.mutable_subgraph());
      });
}

}  // namespace rekindle
