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
using ::ml_metadata::Execution;
using ::ml_metadata::GetLineageGraphRequest;
using ::ml_metadata::GetLineageSubgraphRequest;
using ::ml_metadata::LineageGraph;
using ::ml_metadata::LineageGraphQueryOptions;
using ::ml_metadata::LineageSubgraphQueryOptions;

// More hops than these are read as these.
constexpr int64_t kMaxHops = 100;

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
                      FindAttributions(db, walked.artifacts));
  RK_ASSIGN_OR_RETURN(auto associations,
                      FindAssociations(db, walked.executions));
  std::set<int64_t> contexts;
  for (const auto& edge : attributions) contexts.insert(edge.context_id());
  for (const auto& edge : associations) contexts.insert(edge.context_id());
  for (const int64_t id : contexts) graph->add_contexts()->set_id(id);
  MoveInto(std::move(attributions), graph->mutable_attributions());
  MoveInto(std::move(associations), graph->mutable_associations());
  return absl::OkStatus();
}

enum class Types { kAll, kDeclared };  // kDeclared: not those of every store

template <typename Type>
absl::Status AddTypes(Database& db, Types which, RepeatedPtrField<Type>* into) {
  RK_ASSIGN_OR_RETURN(std::vector<Type> types, which == Types::kAll
                                                   ? ListAllTypes<Type>(db)
                                                   : ListTypes<Type>(db));
  MoveInto(std::move(types), into);
  return absl::OkStatus();
}

absl::Status AddTypes(Database& db, Types which, LineageGraph* graph) {
  RK_RETURN_IF_ERROR(AddTypes(db, which, graph->mutable_artifact_types()));
  RK_RETURN_IF_ERROR(AddTypes(db, which, graph->mutable_execution_types()));
  return AddTypes(db, which, graph->mutable_context_types());
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
  RK_RETURN_IF_ERROR(AddTypes(db, Types::kAll, graph));
  MoveInto(std::move(walked.events), graph->mutable_events());
  ApplyMask(request.read_mask(), graph);
  return absl::OkStatus();
}

// --- GetLineageGraph --------------------------------------------------------

// A boundary is what the nodes inside pass: the walk ends at all others.
std::optional<WalkEnd> BoundaryOf(bool is_set, const std::string& filter) {
  if (!is_set) return std::nullopt;
  return WalkEnd{absl::StrCat("NOT (", filter, "\n)"), /*included=*/false};
}

WalkOptions WalkOf(const LineageGraphQueryOptions& query) {
  const auto& stop = query.stop_conditions();
  return {.max_hops = stop.has_max_num_hops()
                          ? std::min(stop.max_num_hops(), kMaxHops)
                          : kMaxHops,
          .max_nodes = query.max_node_size(),
          .start_may_end = false,
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

template <typename Node>
absl::Status AddWholeNodes(Database& db, const std::vector<int64_t>& ids,
                           RepeatedPtrField<Node>* into) {
  RK_ASSIGN_OR_RETURN(Nodes<Node> nodes, FindNodes<Node>(db, ids));
  MoveInto(std::move(nodes), into);
  return absl::OkStatus();
}

absl::Status DoGetGraph(Database& db, const GetLineageGraphRequest& request,
                        LineageGraph* graph) {
  RK_ASSIGN_OR_RETURN(Walked walked, WalkFor(db, request.options()));
  RK_RETURN_IF_ERROR(
      AddWholeNodes(db, walked.artifacts, graph->mutable_artifacts()));
  RK_RETURN_IF_ERROR(
      AddWholeNodes(db, walked.executions, graph->mutable_executions()));
  RK_RETURN_IF_ERROR(AddTypes(db, Types::kDeclared, graph));
  MoveInto(std::move(walked.events), graph->mutable_events());
  return absl::OkStatus();
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
