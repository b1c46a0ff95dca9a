#include "component/workers/chief.h"

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
#include "component/launch/attempts.h"
#include "component/launch/failure.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/step_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;
using ml_metadata::Execution;

// Whether nobody has renewed the claim for longer than it lives: asked by
// pretending to close it, which the store refuses while somebody has.
absl::StatusOr<bool> IsAbandoned(const Chief& chief, StepStore& steps) {
  v1::FinishRequest request;
  request.set_execution_id(chief.execution.id());
  request.set_token(chief.attempt);
  request.set_state(v1::FinishRequest::FAILED);
  request.set_if_abandoned(true);
  request.set_dry_run(true);
  absl::Status closed = steps.Finish(request).status();
  if (closed.ok()) return true;
  // Alive; or something became of it since we looked, which we see next time.
  if (absl::IsFailedPrecondition(closed) || absl::IsAborted(closed)) {
    return false;
  }
  return closed;
}

absl::StatusOr<Chief::State> StateOf(const Chief& chief, StepStore& steps) {
  switch (chief.execution.last_known_state()) {
    case Execution::COMPLETE:
    case Execution::CACHED:
      return Chief::State::kSuccess;
    case Execution::FAILED:
    case Execution::CANCELED:
      return Chief::State::kFailure;
    default:
      break;
  }
  RK_ASSIGN_OR_RETURN(const bool abandoned, IsAbandoned(chief, steps));
  return abandoned ? Chief::State::kVanished : Chief::State::kWorking;
}

absl::Status Gone(absl::string_view what) {
  return WithReason(FailureReason::kLauncherLost,
                    absl::UnavailableError(absl::StrCat("the chief ", what)));
}

// What the chief recorded of its failure: an absl code and a sentence.
absl::Status FailureOf(const Execution& execution) {
  const auto result = nlohmann::json::parse(
      CustomString(execution, kExecutionResultProperty), nullptr,
      /*allow_exceptions=*/false);
  const bool readable = result.is_object() && result.contains("code") &&
                        result["code"].is_number_integer();
  const int code = readable ? result["code"].get<int>() : 0;
  const std::string sentence = absl::StrCat(
      "the chief failed: ",
      readable ? result.value("resultMessage", "") : "it did not say why");
  const auto reason = FindFailureReason(
      CustomString(execution, std::string(kFailureReasonProperty)));
  // Its claim and its signals are not ours.
  const auto canonical = static_cast<absl::StatusCode>(code);
  const bool passing = canonical == absl::StatusCode::kAborted ||
                       canonical == absl::StatusCode::kCancelled;
  return WithReason(reason.value_or(FailureReason::kExecutorError),
                    absl::Status(passing     ? absl::StatusCode::kUnavailable
                                 : code == 0 ? absl::StatusCode::kUnknown
                                             : canonical,
                                 sentence));
}

// A place among the inputs: key and index.
using Place = std::pair<std::string, int64_t>;

// An artifact in several places has one event, whose path names them all.
std::vector<Place> PlacesOf(const Event& event) {
  std::vector<Place> places;
  if (event.type() != Event::INPUT) return places;
  const auto& steps = event.path().steps();
  for (int i = 0; i + 1 < steps.size(); i += 2) {
    places.emplace_back(steps[i].key(), steps[i + 1].index());
  }
  return places;
}

}  // namespace

absl::StatusOr<Chief> LookAtChief(const std::string& external_id,
                                  Store& store) {
  ml_metadata::GetExecutionsByExternalIdsRequest request;
  request.add_external_ids(external_id);
  const auto found = store.metadata().GetExecutionsByExternalIds(request);
  if (absl::IsNotFound(found.status())) return Chief{};
  RK_RETURN_IF_ERROR(found.status());
  Chief chief;
  chief.execution = found->executions(0);
  const Attempt attempt = LastAttempt(chief.execution);
  chief.attempt = attempt.number;
  chief.node_dir = attempt.node_dir;
  chief.store_id = attempt.store_id;
  RK_ASSIGN_OR_RETURN(chief.state, StateOf(chief, store.steps()));
  return chief;
}

std::optional<absl::Status> EndOfWork(const Chief& joined, const Chief& now) {
  if (now.state == Chief::State::kSuccess) return absl::OkStatus();
  if (now.execution.id() != joined.execution.id()) {
    return Gone("is not recorded any more");
  }
  if (now.attempt != joined.attempt) {
    return Gone(absl::StrCat("has begun attempt ", now.attempt,
                             "; this one took part in attempt ",
                             joined.attempt));
  }
  switch (now.state) {
    case Chief::State::kVanished:
      return Gone(absl::StrCat("of attempt ", joined.attempt,
                               " vanished: its claim is not renewed"));
    case Chief::State::kFailure:
      return now.execution.last_known_state() == Execution::CANCELED
                 ? Gone("was stopped")
                 : FailureOf(now.execution);
    default:
      return std::nullopt;
  }
}

absl::StatusOr<std::map<std::string, std::vector<Artifact>>> InputsOf(
    const Chief& chief, const MetadataStore& store) {
  ml_metadata::GetEventsByExecutionIDsRequest events_of;
  events_of.add_execution_ids(chief.execution.id());
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(events_of));
  std::map<Place, int64_t> ids;
  ml_metadata::GetArtifactsByIDRequest by_id;
  for (const Event& event : events.events()) {
    for (const Place& place : PlacesOf(event)) {
      ids[place] = event.artifact_id();
      by_id.add_artifact_ids(event.artifact_id());
    }
  }
  RK_ASSIGN_OR_RETURN(const auto found, store.GetArtifactsByID(by_id));
  std::map<int64_t, Artifact> artifacts;
  for (const Artifact& artifact : found.artifacts()) {
    artifacts[artifact.id()] = artifact;
  }
  std::map<std::string, std::vector<Artifact>> inputs;
  for (const auto& [place, id] : ids) {
    inputs[place.first].push_back(artifacts[id]);
  }
  return inputs;
}

}  // namespace rekindle
