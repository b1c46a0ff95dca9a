#include "component/cache/cache_history.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Execution;

// How far back a nearest run is looked for.
constexpr int kMostRuns = 100;

absl::StatusOr<Execution> GetExecution(int64_t id, const MetadataStore& store) {
  ml_metadata::GetExecutionsByIDRequest request;
  request.add_execution_ids(id);
  RK_ASSIGN_OR_RETURN(const auto response, store.GetExecutionsByID(request));
  if (response.executions().empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no execution with id ", id,
                     "; 'rekindle metadata list executions' shows what is"));
  }
  return response.executions(0);
}

absl::StatusOr<std::optional<int64_t>> FindNode(int64_t execution_id,
                                                const MetadataStore& store) {
  ml_metadata::GetContextsByExecutionRequest request;
  request.set_execution_id(execution_id);
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetContextsByExecution(request));
  for (const ml_metadata::Context& context : response.contexts()) {
    if (context.type() == "node") return context.id();
  }
  return std::nullopt;
}

ml_metadata::GetExecutionsByContextRequest CompletedBefore(
    int64_t execution_id, int64_t node_context) {
  using OrderByField = ml_metadata::ListOperationOptions::OrderByField;
  ml_metadata::GetExecutionsByContextRequest request;
  request.set_context_id(node_context);
  auto& options = *request.mutable_options();
  options.set_max_result_size(kMostRuns);
  options.mutable_order_by_field()->set_field(OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  options.set_filter_query(
      absl::StrCat("last_known_state = COMPLETE AND id < ", execution_id));
  return request;
}

absl::StatusOr<std::optional<EarlierRun>> FindNearest(
    int64_t execution_id, const CacheFields& fields,
    const MetadataStore& store) {
  std::optional<EarlierRun> nearest;
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> node,
                      FindNode(execution_id, store));
  if (!node.has_value()) return nearest;
  RK_ASSIGN_OR_RETURN(
      const auto runs,
      store.GetExecutionsByContext(CompletedBefore(execution_id, *node)));
  for (const Execution& run : runs.executions()) {
    const std::optional<CacheFields> before =
        FieldsFromJson(CustomString(run, kCacheFieldsProperty));
    if (!before.has_value()) continue;
    std::vector<FieldDifference> differences = DifferencesOf(*before, fields);
    if (!nearest.has_value() ||
        differences.size() < nearest->differences.size()) {
      nearest = {run.id(), std::move(differences)};
    }
  }
  return nearest;
}

}  // namespace

absl::StatusOr<CacheExplanation> ExplainCache(int64_t execution_id,
                                              const MetadataStore& store) {
  CacheExplanation explanation;
  RK_ASSIGN_OR_RETURN(explanation.execution, GetExecution(execution_id, store));
  std::optional<CacheFields> fields =
      FieldsFromJson(CustomString(explanation.execution, kCacheFieldsProperty));
  if (!fields.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "execution ", execution_id,
        " has no cache key: it was not written by a step of rekindle, or its "
        "inputs were never resolved"));
  }
  explanation.fields = *std::move(fields);
  explanation.decision = CacheDecision::FromJson(
      CustomString(explanation.execution, kCacheDecisionProperty));
  explanation.cached_from =
      CustomInt(explanation.execution, kCachedFromProperty);
  if (!explanation.cached_from.has_value()) {
    RK_ASSIGN_OR_RETURN(explanation.nearest,
                        FindNearest(execution_id, explanation.fields, store));
  }
  return explanation;
}

}  // namespace rekindle
