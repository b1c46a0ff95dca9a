#include "component/resolve/resolver.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/filter_text.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;

absl::StatusOr<std::optional<ml_metadata::Context>> FindContext(
    const std::string& type, const std::string& name,
    const MetadataStore& store) {
  ml_metadata::GetContextByTypeAndNameRequest request;
  request.set_type_name(type);
  request.set_context_name(name);
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetContextByTypeAndName(request));
  if (!response.has_context()) return std::nullopt;
  return response.context();
}

// The answer for a reference that names exactly one artifact.
absl::StatusOr<Resolution> TakeNamed(Artifact artifact,
                                     const ResolveQuery& query) {
  Resolution resolution;
  resolution.candidates.push_back(
      JudgeArtifact(std::move(artifact), query.type_name));
  const Candidate& only = resolution.candidates.front();
  if (!only.taken) {
    return absl::FailedPreconditionError(
        absl::StrCat("artifact ", only.artifact.id(), " (",
                     query.ref.ToString(), ") cannot be used: ", only.reason));
  }
  resolution.chosen = {only.artifact};
  return resolution;
}

absl::StatusOr<Resolution> ResolveId(const ResolveQuery& query,
                                     const MetadataStore& store) {
  ml_metadata::GetArtifactsByIDRequest request;
  request.add_artifact_ids(query.ref.id);
  RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByID(request));
  if (response.artifacts().empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no artifact with id ", query.ref.id,
                     "; 'rekindle metadata list artifacts' shows what is"));
  }
  return TakeNamed(response.artifacts(0), query);
}

absl::StatusOr<Resolution> ResolveUri(const ResolveQuery& query,
                                      const MetadataStore& store) {
  ml_metadata::GetArtifactsByURIRequest request;
  request.add_uris(query.ref.uri);
  RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByURI(request));
  if (response.artifacts().empty()) {
    return absl::NotFoundError(
        absl::StrCat("no artifact is recorded at ", query.ref.uri,
                     "; the uri must be spelled as it was recorded"));
  }
  return TakeNamed(response.artifacts(response.artifacts_size() - 1), query);
}

bool IsOutputUnder(const Event& event, const std::string& key) {
  if (event.type() != Event::OUTPUT && event.type() != Event::DECLARED_OUTPUT) {
    return false;
  }
  return std::any_of(
      event.path().steps().begin(), event.path().steps().end(),
      [&key](const Event::Path::Step& step) { return step.key() == key; });
}

// The id of the artifact that the node of this run put out under the key.
absl::StatusOr<std::optional<int64_t>> FindRunOutput(
    const ResolveQuery& query, const MetadataStore& store) {
  ml_metadata::GetExecutionsByExternalIdsRequest by_external_id;
  by_external_id.add_external_ids(
      absl::StrCat(query.run_id, "/", query.ref.node_id));
  const auto executions = store.GetExecutionsByExternalIds(by_external_id);
  if (absl::IsNotFound(executions.status())) return std::nullopt;
  RK_RETURN_IF_ERROR(executions.status());

  ml_metadata::GetEventsByExecutionIDsRequest by_execution;
  by_execution.add_execution_ids(executions->executions(0).id());
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(by_execution));
  for (const Event& event : events.events()) {
    if (IsOutputUnder(event, query.ref.output_key)) return event.artifact_id();
  }
  return std::nullopt;
}

absl::StatusOr<Resolution> ResolveRun(const ResolveQuery& query,
                                      const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> id,
                      FindRunOutput(query, store));
  if (!id.has_value()) {
    return absl::NotFoundError(
        absl::StrCat("node '", query.ref.node_id, "' of run '", query.run_id,
                     "' has published nothing under '", query.ref.output_key,
                     "'; run that node first, with the same --run-id"));
  }
  ResolveQuery by_id = query;
  by_id.ref = {ArtifactRef::Kind::kId, *id, "", "", ""};
  return ResolveId(by_id, store);
}

ml_metadata::GetArtifactsByContextRequest NewestFirst(
    int64_t context_id, const std::string& type_name) {
  using OrderByField = ml_metadata::ListOperationOptions::OrderByField;
  ml_metadata::GetArtifactsByContextRequest request;
  request.set_context_id(context_id);
  auto& options = *request.mutable_options();
  options.set_max_result_size(20);
  options.mutable_order_by_field()->set_field(OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  options.set_filter_query(absl::StrCat("type = ", QuoteForFilter(type_name)));
  return request;
}

absl::StatusOr<Resolution> ResolveLatest(const ResolveQuery& query,
                                         const MetadataStore& store) {
  Resolution resolution;
  RK_ASSIGN_OR_RETURN(const auto pipeline,
                      FindContext("pipeline", query.pipeline, store));
  if (!pipeline.has_value()) return resolution;

  // A page is mostly enough, however many there are.
  auto request = NewestFirst(pipeline->id(), query.type_name);
  do {
    RK_ASSIGN_OR_RETURN(auto page, store.GetArtifactsByContext(request));
    for (Artifact& artifact : *page.mutable_artifacts()) {
      resolution.candidates.push_back(
          JudgeArtifact(std::move(artifact), query.type_name));
      const Candidate& last = resolution.candidates.back();
      if (last.taken) {
        resolution.chosen = {last.artifact};
        return resolution;
      }
    }
    request.mutable_options()->set_next_page_token(page.next_page_token());
  } while (!request.options().next_page_token().empty());
  return resolution;
}

}  // namespace

Candidate JudgeArtifact(Artifact artifact, const std::string& type_name) {
  Candidate candidate;
  if (artifact.type() != type_name) {
    candidate.reason =
        absl::StrCat("its type is ", artifact.type(), ", not ", type_name);
  } else if (artifact.state() != Artifact::LIVE) {
    candidate.reason = absl::StrCat(
        "its state is ", Artifact::State_Name(artifact.state()), ", not LIVE");
  } else {
    const FilesVerdict files = CheckFiles(artifact);
    candidate.taken = files.usable;
    candidate.reason = files.reason;
  }
  candidate.artifact = std::move(artifact);
  return candidate;
}

absl::StatusOr<Resolution> Resolve(const ResolveQuery& query,
                                   const MetadataStore& store) {
  switch (query.ref.kind) {
    case ArtifactRef::Kind::kNone:
      return Resolution{};
    case ArtifactRef::Kind::kLatest:
      return ResolveLatest(query, store);
    case ArtifactRef::Kind::kId:
      return ResolveId(query, store);
    case ArtifactRef::Kind::kUri:
      return ResolveUri(query, store);
    case ArtifactRef::Kind::kRun:
      return ResolveRun(query, store);
  }
  return absl::InternalError("unknown kind of artifact reference");
}

}  // namespace rekindle
