#include "component/resolve/named_artifacts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "component/resolve/channel.h"
#include "component/resolve/digest_check.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;

// Adds the artifact; false when it cannot be used.
bool TakeOrPassOver(Artifact artifact, const ResolveQuery& query,
                    const FileRules& rules, Resolution& resolution) {
  Candidate judged = JudgeArtifact(std::move(artifact), query.type_name, rules);
  if (!judged.taken) {
    resolution.PassOver(std::move(judged.artifact), std::move(judged.reason));
    return false;
  }
  if (IsPartial(judged.artifact)) {
    absl::StrAppend(&judged.reason, "; its training was cut short");
  }
  resolution.Take(std::move(judged.artifact), std::move(judged.reason));
  return true;
}

// Nothing is taken when one of them cannot be.
Resolution Refused(Resolution resolution, absl::Status refusal) {
  resolution.chosen.clear();
  for (Candidate& candidate : resolution.candidates) candidate.taken = false;
  resolution.refusal = std::move(refusal);
  return resolution;
}

absl::Status Unusable(const Candidate& candidate, const ArtifactRef& ref) {
  return absl::FailedPreconditionError(
      absl::StrCat("artifact ", candidate.artifact.id(), " (", ref.ToString(),
                   ") cannot be used: ", candidate.reason));
}

absl::Status NoSuchId(int64_t id) {
  return absl::NotFoundError(
      absl::StrCat("there is no artifact with id ", id,
                   "; 'rekindle metadata list artifacts' shows what is"));
}

absl::StatusOr<Resolution> TakeAll(const std::vector<int64_t>& ids,
                                   const ResolveQuery& query,
                                   const MetadataStore& store) {
  ml_metadata::GetArtifactsByIDRequest request;
  *request.mutable_artifact_ids() = {ids.begin(), ids.end()};
  RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByID(request));
  std::map<int64_t, Artifact> found;
  for (const Artifact& artifact : response.artifacts()) {
    found[artifact.id()] = artifact;
  }
  Resolution resolution;
  for (const int64_t id : ids) {
    if (!found.contains(id)) {
      return Refused(std::move(resolution), NoSuchId(id));
    }
    if (!TakeOrPassOver(found[id], query, query.files, resolution)) {
      absl::Status refusal = Unusable(resolution.candidates.back(), query.ref);
      return Refused(std::move(resolution), std::move(refusal));
    }
  }
  return resolution;
}

// The place of an output under a key, if the event is of one.
std::optional<int64_t> IndexUnder(const Event& event, const std::string& key) {
  if (event.type() != Event::OUTPUT && event.type() != Event::INTERNAL_OUTPUT &&
      event.type() != Event::DECLARED_OUTPUT) {
    return std::nullopt;
  }
  // Steps alternate: key, index, key, index.
  const auto& steps = event.path().steps();
  for (int i = 0; i < steps.size(); ++i) {
    if (steps[i].key() != key) continue;
    return i + 1 < steps.size() ? steps[i + 1].index() : 0;
  }
  return std::nullopt;
}

// The executions in both contexts.
absl::StatusOr<std::vector<int64_t>> FindExecutions(
    int64_t run, int64_t node, const MetadataStore& store) {
  ml_metadata::GetExecutionsByContextRequest request;
  request.set_context_id(run);
  request.mutable_options()->set_max_result_size(100);
  request.mutable_options()->mutable_order_by_field()->set_field(
      ml_metadata::ListOperationOptions::OrderByField::ID);
  request.mutable_options()->set_filter_query(
      absl::StrCat("contexts_node.id = ", node));
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetExecutionsByContext(request));
  std::vector<int64_t> ids;
  for (const ml_metadata::Execution& execution : response.executions()) {
    ids.push_back(execution.id());
  }
  return ids;
}

// Ids of what the node of this run put out under the key, in order.
absl::StatusOr<std::vector<int64_t>> FindRunOutputs(
    const ArtifactRef::RunOutput& ref, const ResolveQuery& query,
    const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const auto run,
                      FindContext("pipeline_run", query.run_id, store));
  RK_ASSIGN_OR_RETURN(
      const auto node,
      FindContext("node", absl::StrCat(query.pipeline, ".", ref.node_id),
                  store));
  if (!run.has_value() || !node.has_value()) return std::vector<int64_t>();
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> executions,
                      FindExecutions(run->id(), node->id(), store));
  if (executions.empty()) return std::vector<int64_t>();

  ml_metadata::GetEventsByExecutionIDsRequest request;
  *request.mutable_execution_ids() = {executions.begin(), executions.end()};
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(request));
  std::map<std::pair<int64_t, int64_t>, int64_t> by_place;
  for (const Event& event : events.events()) {
    if (const auto index = IndexUnder(event, ref.output_key)) {
      by_place[{event.execution_id(), *index}] = event.artifact_id();
    }
  }
  std::vector<int64_t> ids;
  for (const auto& [place, id] : by_place) ids.push_back(id);
  return ids;
}

}  // namespace

absl::StatusOr<Resolution> ResolveIds(const ArtifactRef::Ids& ref,
                                      const ResolveQuery& query,
                                      const MetadataStore& store) {
  return TakeAll(ref.ids, query, store);
}

absl::StatusOr<Resolution> ResolveUri(const ArtifactRef::Uri& ref,
                                      const ResolveQuery& query,
                                      const MetadataStore& store) {
  ml_metadata::GetArtifactsByURIRequest request;
  request.add_uris(ref.uri);
  RK_ASSIGN_OR_RETURN(auto response, store.GetArtifactsByURI(request));
  auto& artifacts = *response.mutable_artifacts();
  std::sort(
      artifacts.pointer_begin(), artifacts.pointer_end(),
      [](const Artifact* a, const Artifact* b) { return a->id() > b->id(); });
  Resolution resolution;
  if (artifacts.empty()) {
    resolution.refusal = absl::NotFoundError(
        absl::StrCat("no artifact is recorded at ", ref.uri,
                     "; the uri must be spelled as it was recorded"));
    return resolution;
  }
  // The user has named the place, not only the record.
  const FileRules rules = {query.files.roots.And(ref.uri), query.files.check};
  for (Artifact& artifact : artifacts) {
    if (TakeOrPassOver(std::move(artifact), query, rules, resolution)) {
      return resolution;
    }
  }
  resolution.refusal = Unusable(resolution.candidates.front(), query.ref);
  return resolution;
}

absl::StatusOr<Resolution> ResolveRunOutput(const ArtifactRef::RunOutput& ref,
                                            const ResolveQuery& query,
                                            const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                      FindRunOutputs(ref, query, store));
  if (!ids.empty()) return TakeAll(ids, query, store);
  Resolution resolution;
  resolution.refusal = absl::NotFoundError(
      absl::StrCat("node '", ref.node_id, "' of run '", query.run_id,
                   "' has published nothing under '", ref.output_key,
                   "'; run that node first, with the same --run-id"));
  return resolution;
}

}  // namespace rekindle
