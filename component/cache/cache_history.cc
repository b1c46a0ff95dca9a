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

// The context of the node that the fields name.
absl::StatusOr<std::optional<int64_t>> FindNode(const CacheFields& fields,
                                                const MetadataStore& store) {
  const auto pipeline = fields.find("pipeline");
  const auto node = fields.find("node");
  if (pipeline == fields.end() || node == fields.end()) return std::nullopt;
  ml_metadata::GetContextByTypeAndNameRequest request;
  request.set_type_name("node");
  request.set_context_name(absl::StrCat(pipeline->second, ".", node->second));
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetContextByTypeAndName(request));
  if (!response.has_context()) return std::nullopt;
  return response.context().id();
}

ml_metadata::GetExecutionsByContextRequest NewestCompleteFirst(
    int64_t node_context, std::optional<int64_t> before) {
  using OrderByField = ml_metadata::ListOperationOptions::OrderByField;
  ml_metadata::GetExecutionsByContextRequest request;
  request.set_context_id(node_context);
  auto& options = *request.mutable_options();
  options.set_max_result_size(kMostRuns);
  options.mutable_order_by_field()->set_field(OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  options.set_filter_query(absl::StrCat(
      "last_known_state = COMPLETE",
      before.has_value() ? absl::StrCat(" AND id < ", *before) : ""));
  return request;
}

}  // namespace

absl::StatusOr<std::optional<EarlierRun>> FindNearestRun(
    const CacheFields& fields, std::optional<int64_t> before,
    const MetadataStore& store) {
  std::optional<EarlierRun> nearest;
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> node,
                      FindNode(fields, store));
  if (!node.has_value()) return nearest;
  RK_ASSIGN_OR_RETURN(const auto runs, store.GetExecutionsByContext(
                                           NewestCompleteFirst(*node, before)));
  for (const Execution& run : runs.executions()) {
    const std::optional<CacheFields> earlier =
        FieldsFromJson(CustomString(run, kCacheFieldsProperty));
    if (!earlier.has_value()) continue;
    std::vector<FieldDifference> differences = DifferencesOf(*earlier, fields);
    if (!nearest.has_value() ||
        differences.size() < nearest->differences.size()) {
      nearest = {run.id(), std::move(differences)};
    }
  }
  return nearest;
}

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
    RK_ASSIGN_OR_RETURN(
        explanation.nearest,
        FindNearestRun(explanation.fields, execution_id, store));
  }
  return explanation;
}

}  // namespace rekindle
