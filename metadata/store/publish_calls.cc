// Calls of SqliteStepStore that end an attempt.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/store/claims.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/put_node.h"
#include "metadata/store/sqlite_step_store.h"
#include "metadata/store/step_rows.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;
using ::rekindle::v1::Binding;
using ::rekindle::v1::FinishRequest;
using ::rekindle::v1::OutputArtifact;
using ::rekindle::v1::PublishRequest;
using ::rekindle::v1::PublishResponse;

// What a cache leaves at executions: the one that computed the outputs, and
// since when they must not be reused.
constexpr char kCachedFrom[] = "cached_from";
constexpr char kCacheInvalidated[] = "cache_invalidated";

// Merges `from` into the execution's custom properties.
void MergeProperties(
    const google::protobuf::Map<std::string, ml_metadata::Value>& from,
    Execution* into) {
  for (const auto& [name, value] : from) {
    (*into->mutable_custom_properties())[name] = value;
  }
}

absl::Status CheckAnnounced(const Execution& execution,
                            const PublishRequest& request) {
  const auto prepared = PreparedOf(execution);
  for (const OutputArtifact& output : request.outputs()) {
    if (output.artifact().has_id()) continue;
    const bool announced =
        std::any_of(prepared.begin(), prepared.end(), [&](const auto& other) {
          return other.uri() == output.artifact().uri();
        });
    if (!announced) {
      return absl::FailedPreconditionError(absl::StrCat(
          "output '", output.key(), "' has uri '", output.artifact().uri(),
          "', which was not announced; call PreparePublish first"));
    }
  }
  return absl::OkStatus();
}

// The state of a stored artifact; nullopt if it is not stored.
absl::StatusOr<std::optional<Artifact::State>> FindState(Database& db,
                                                         int64_t id) {
  RK_ASSIGN_OR_RETURN(Statement row,
                      db.Prepare("SELECT state FROM Artifact WHERE id = ?"));
  row.Bind(id);
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  return Artifact::State_IsValid(static_cast<int>(row.Int(0)))
             ? static_cast<Artifact::State>(row.Int(0))
             : Artifact::UNKNOWN;
}

absl::Status CheckLive(Database& db, const OutputArtifact& output) {
  const int64_t id = output.artifact().id();
  RK_ASSIGN_OR_RETURN(const auto state, FindState(db, id));
  if (state == Artifact::LIVE) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "output '", output.key(), "' was to be artifact ", id, ", which is ",
      state.has_value() ? Artifact::State_Name(*state) : "not stored",
      " now; compute it instead"));
}

// Of the execution that computed what is reused; one that is not stored any
// more has no say.
absl::Status CheckNotInvalidated(Database& db, const PublishRequest& request) {
  const auto named = request.custom_properties().find(kCachedFrom);
  if (named == request.custom_properties().end()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(const auto computer,
                      FindNode<Execution>(db, named->second.int_value()));
  if (!computer.has_value() ||
      TextProperty(*computer, kCacheInvalidated).empty()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the outputs of execution ", computer->id(),
                   " were invalidated; compute them instead"));
}

// Whoever reuses outputs has looked at them before this transaction: they may
// have been deleted since.
absl::Status CheckReusable(Database& db, const PublishRequest& request) {
  if (!request.cached()) return absl::OkStatus();
  for (const OutputArtifact& output : request.outputs()) {
    if (output.artifact().has_id()) RK_RETURN_IF_ERROR(CheckLive(db, output));
  }
  return CheckNotInvalidated(db, request);
}

absl::StatusOr<int64_t> PutOutput(Database& db, const OutputArtifact& output,
                                  int64_t now_millis) {
  if (output.artifact().has_id()) {
    const int64_t id = output.artifact().id();
    RK_ASSIGN_OR_RETURN(const bool stored, NodeExists<Artifact>(db, id));
    if (stored) return id;
    return absl::NotFoundError(absl::StrCat("output '", output.key(),
                                            "' is artifact ", id,
                                            ", which is not stored"));
  }
  RK_ASSIGN_OR_RETURN(const int64_t type_id,
                      PutType(db, output.type(), kCompatible));
  Artifact artifact = output.artifact();
  artifact.set_type_id(type_id);
  artifact.set_state(Artifact::LIVE);
  return PutNode(db, artifact, {.now_millis = now_millis});
}

// Whether the outputs were found, as TFX's Resolver does it: they are stored
// already, and yet it is not said that another execution computed them for this
// one.
bool WasFound(const PublishRequest& request) {
  return !request.cached() && !request.outputs().empty() &&
         std::all_of(request.outputs().begin(), request.outputs().end(),
                     [](const OutputArtifact& output) {
                       return output.artifact().has_id();
                     });
}

absl::Status PutOutputs(Database& db, const PublishRequest& request,
                        int64_t now_millis, PublishResponse& response) {
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> contexts,
                      ContextIdsOfExecution(db, request.execution_id()));
  std::vector<Binding> bindings;
  for (const OutputArtifact& output : request.outputs()) {
    RK_ASSIGN_OR_RETURN(const int64_t id, PutOutput(db, output, now_millis));
    response.add_artifact_ids(id);
    Binding& binding = bindings.emplace_back();
    binding.set_key(output.key());
    binding.set_index(output.index());
    binding.set_artifact_id(id);
    for (const int64_t context : contexts) {
      RK_RETURN_IF_ERROR(PutAttribution(db, context, id));
    }
  }
  return ReplaceBindings(
      db, request.execution_id(),
      WasFound(request) ? Event::INTERNAL_OUTPUT : Event::OUTPUT, bindings,
      now_millis);
}

// The answer to a publish that has happened: by the places of the outputs.
absl::Status AnswerAgain(Database& db, const PublishRequest& request,
                         PublishResponse& response) {
  RK_ASSIGN_OR_RETURN(const std::vector<Binding> outputs,
                      FindOutputs(db, request.execution_id()));
  for (const OutputArtifact& wanted : request.outputs()) {
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const Binding& output) {
                                      return output.key() == wanted.key() &&
                                             output.index() == wanted.index();
                                    });
    if (found == outputs.end()) {
      return absl::AbortedError(
          absl::StrCat("execution ", request.execution_id(),
                       " was published without output '", wanted.key(), "'"));
    }
    response.add_artifact_ids(found->artifact_id());
  }
  return absl::OkStatus();
}

absl::Status Complete(Database& db, Execution execution,
                      const PublishRequest& request, int64_t now_millis) {
  const Execution::State state =
      request.cached() ? Execution::CACHED : Execution::COMPLETE;
  execution.set_last_known_state(state);
  MergeProperties(request.custom_properties(), &execution);
  execution.mutable_custom_properties()->erase(kPreparedOutputs);
  execution.mutable_custom_properties()->erase(kPreparedWorkKey);
  AttemptLog attempts = AttemptsOf(execution);
  attempts.End(Execution::State_Name(state), {}, now_millis);
  SetAttempts(attempts, &execution);
  RK_RETURN_IF_ERROR(
      PutNode(db, execution, {.now_millis = now_millis}).status());
  return ReleaseClaim(db, execution.id());
}

absl::Status DoPublish(Database& db, const PublishRequest& request,
                       int64_t now_millis, PublishResponse& response) {
  RK_ASSIGN_OR_RETURN(const Execution stored,
                      FindExecution(db, request.execution_id()));
  RK_RETURN_IF_ERROR(CheckToken(db, stored, request.token()));
  if (IsFinished(stored)) return AnswerAgain(db, request, response);
  RK_ASSIGN_OR_RETURN(Execution execution,
                      FindClaimed(db, request.execution_id(), request.token()));
  RK_RETURN_IF_ERROR(CheckAnnounced(execution, request));
  RK_RETURN_IF_ERROR(CheckReusable(db, request));
  RK_RETURN_IF_ERROR(PutOutputs(db, request, now_millis, response));
  return Complete(db, std::move(execution), request, now_millis);
}

// --- finish -----------------------------------------------------------------

// That the owner still holds it is said through `held`: a lease that was cut on
// the way is to be committed nevertheless.
absl::Status DoFinish(Database& db, const FinishRequest& request,
                      int64_t now_millis, absl::Status& held) {
  if (request.state() != FinishRequest::FAILED &&
      request.state() != FinishRequest::CANCELED) {
    return absl::InvalidArgumentError("state must be FAILED or CANCELED");
  }
  const auto state = static_cast<Execution::State>(request.state());
  RK_ASSIGN_OR_RETURN(const Execution stored,
                      FindExecution(db, request.execution_id()));
  RK_RETURN_IF_ERROR(CheckToken(db, stored, request.token()));
  if (stored.last_known_state() == state) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(Execution execution,
                      FindClaimed(db, request.execution_id(), request.token()));
  if (request.if_abandoned()) {
    RK_ASSIGN_OR_RETURN(const auto hold, FindHold(db, execution, now_millis));
    if (hold.has_value()) {
      held = Held(execution, *hold, now_millis);
      return absl::OkStatus();
    }
  }
  execution.set_last_known_state(state);
  MergeProperties(request.custom_properties(), &execution);
  if (!request.failure_reason().empty()) {
    (*execution.mutable_custom_properties())[kFailureReason].set_string_value(
        request.failure_reason());
  }
  AttemptLog attempts = AttemptsOf(execution);
  attempts.End(Execution::State_Name(state),
               {request.failure_reason(), request.reason()}, now_millis);
  SetAttempts(attempts, &execution);
  RK_RETURN_IF_ERROR(
      PutNode(db, execution, {.now_millis = now_millis}).status());
  return ReleaseClaim(db, execution.id());
}

}  // namespace

absl::StatusOr<v1::PreparePublishResponse> SqliteStepStore::PreparePublish(
    const v1::PreparePublishRequest& request) {
  return Write<v1::PreparePublishResponse>([&](Database& db,
                                               v1::PreparePublishResponse&)
                                               -> absl::Status {
    RK_ASSIGN_OR_RETURN(
        Execution execution,
        FindClaimed(db, request.execution_id(), request.token()));
    SetPrepared(request.outputs(), &execution);
    return PutNode(db, execution, {.now_millis = clock_.NowMillis()}).status();
  });
}

absl::StatusOr<PublishResponse> SqliteStepStore::Publish(
    const PublishRequest& request) {
  return Write<PublishResponse>([&](Database& db, PublishResponse& response) {
    return DoPublish(db, request, clock_.NowMillis(), response);
  });
}

absl::StatusOr<v1::FinishResponse> SqliteStepStore::Finish(
    const FinishRequest& request) {
  absl::Status held;
  absl::StatusOr<v1::FinishResponse> finished = Write<v1::FinishResponse>(
      [&](Database& db, v1::FinishResponse&) -> absl::Status {
        held = absl::OkStatus();
        RK_RETURN_IF_ERROR(DoFinish(db, request, clock_.NowMillis(), held));
        return request.dry_run() && held.ok() ? absl::CancelledError()
                                              : absl::OkStatus();
      });
  if (finished.ok() && !held.ok()) return held;
  // A dry run does it all and takes it back.
  if (request.dry_run() && absl::IsCancelled(finished.status())) {
    return v1::FinishResponse();
  }
  return finished;
}

}  // namespace rekindle
