#include "metadata/store/sqlite_step_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/store/delete_rows.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/lease_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/put_node.h"
#include "metadata/store/step_rows.h"
#include "metadata/store/type_rows.h"
#include "metadata/store/verify.h"
#include "metadata/store/work_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Event;
using ::ml_metadata::Execution;
using ::rekindle::v1::Binding;
using ::rekindle::v1::ClaimRequest;
using ::rekindle::v1::ClaimResponse;
using ::rekindle::v1::ContextOfStep;
using ::rekindle::v1::FinishRequest;
using ::rekindle::v1::OutputArtifact;
using ::rekindle::v1::PublishRequest;
using ::rekindle::v1::PublishResponse;
using ::rekindle::v1::StartWorkRequest;
using ::rekindle::v1::StartWorkResponse;

// A step declares the types it knows of; a stored type may know more or less.
constexpr TypeEvolution kCompatible = {.can_add_fields = true,
                                       .can_omit_fields = true};

// --- tokens -----------------------------------------------------------------

// The highest token given out for the execution. The lease may have been
// dropped and the attempts overwritten, by whoever; both at once is unlikely.
absl::StatusOr<int64_t> CurrentToken(Database& db, const Execution& execution) {
  RK_ASSIGN_OR_RETURN(const std::optional<Lease> lease,
                      FindLease(db, execution.id()));
  return std::max(lease.has_value() ? lease->token : 0,
                  AttemptsOf(execution).last());
}

absl::StatusOr<Execution> FindExecution(Database& db, int64_t id) {
  RK_ASSIGN_OR_RETURN(std::optional<Execution> execution,
                      FindNode<Execution>(db, id));
  if (execution.has_value()) return *std::move(execution);
  return absl::NotFoundError(
      absl::StrCat("there is no execution with id ", id));
}

absl::Status CheckToken(Database& db, const Execution& execution,
                        int64_t token) {
  RK_ASSIGN_OR_RETURN(const int64_t current, CurrentToken(db, execution));
  if (token == current) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("execution ", execution.id(),
                                         " belongs to attempt ", current,
                                         " now, not to attempt ", token));
}

// The execution, if the claim with this token still holds.
absl::StatusOr<Execution> FindClaimed(Database& db, int64_t id, int64_t token) {
  RK_ASSIGN_OR_RETURN(Execution execution, FindExecution(db, id));
  RK_RETURN_IF_ERROR(CheckToken(db, execution, token));
  if (execution.last_known_state() == Execution::RUNNING) return execution;
  return absl::AbortedError(
      absl::StrCat("execution ", id, " is ",
                   Execution::State_Name(execution.last_known_state()),
                   " and no longer runs"));
}

// Merges `from` into the execution's custom properties.
void MergeProperties(
    const google::protobuf::Map<std::string, ml_metadata::Value>& from,
    Execution* into) {
  for (const auto& [name, value] : from) {
    (*into->mutable_custom_properties())[name] = value;
  }
}

// --- claim ------------------------------------------------------------------

absl::Status CheckContexts(const ClaimRequest& request) {
  for (int i = 0; i < request.contexts_size(); ++i) {
    const ContextOfStep& context = request.contexts(i);
    if (context.name().empty() || context.type().name().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("contexts[", i, "] needs a name and a type name"));
    }
    const int parent = context.parent_index();
    if (parent < -1 || parent >= request.contexts_size() || parent == i) {
      return absl::InvalidArgumentError(absl::StrCat(
          "contexts[", i, "] has parent_index ", parent, "; use -1 for none"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckClaim(const ClaimRequest& request) {
  if (request.external_id().empty()) {
    return absl::InvalidArgumentError("a claim needs an external_id");
  }
  if (request.execution_type().name().empty()) {
    return absl::InvalidArgumentError("a claim needs an execution_type.name");
  }
  if (request.lease_millis() <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "lease_millis must be positive, not ", request.lease_millis()));
  }
  return CheckContexts(request);
}

absl::StatusOr<int64_t> EnsureContext(Database& db, const ContextOfStep& wanted,
                                      int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(const int64_t type_id,
                      PutType(db, wanted.type(), kCompatible));
  RK_ASSIGN_OR_RETURN(const auto stored,
                      FindNodeIdByName<Context>(db, type_id, wanted.name()));
  if (stored.has_value()) return *stored;
  Context context;
  context.set_type_id(type_id);
  context.set_name(wanted.name());
  return PutNode(db, context, {.now_millis = now_millis});
}

absl::Status EnsureContexts(Database& db, const ClaimRequest& request,
                            int64_t now_millis, ClaimResponse& response) {
  for (const ContextOfStep& context : request.contexts()) {
    RK_ASSIGN_OR_RETURN(const int64_t id,
                        EnsureContext(db, context, now_millis));
    response.add_context_ids(id);
  }
  for (int i = 0; i < request.contexts_size(); ++i) {
    const int parent = request.contexts(i).parent_index();
    if (parent < 0) continue;
    const absl::Status put = PutParentContext(db, response.context_ids(i),
                                              response.context_ids(parent));
    if (!absl::IsAlreadyExists(put)) RK_RETURN_IF_ERROR(put);
  }
  return absl::OkStatus();
}

// The lease that keeps others from the execution; nullopt if none does. One
// that seems to last longer than leases of its owner do was given out before
// the clock was set back: it is cut, so that a dead owner's does not live for
// hours. A live owner renews it.
absl::StatusOr<std::optional<Lease>> FindHold(Database& db,
                                              const Execution& execution,
                                              int64_t now_millis) {
  if (execution.last_known_state() != Execution::RUNNING) return std::nullopt;
  RK_ASSIGN_OR_RETURN(std::optional<Lease> lease,
                      FindLease(db, execution.id()));
  if (!lease.has_value() || lease->expires_millis <= now_millis) {
    return std::nullopt;
  }
  const std::optional<int64_t> length =
      AttemptsOf(execution).last_lease_millis();
  if (length.has_value() && lease->expires_millis > now_millis + *length) {
    lease->expires_millis = now_millis + *length;
    RK_RETURN_IF_ERROR(PutLease(db, execution.id(), *lease));
  }
  return lease;
}

absl::Status Held(const Execution& execution, const Lease& lease,
                  int64_t now_millis) {
  return absl::FailedPreconditionError(
      absl::StrCat("execution ", execution.id(), " ('", execution.external_id(),
                   "') is being run by ", AttemptsOf(execution).last_owner(),
                   "; its lease ends in ",
                   absl::FormatDuration(
                       absl::Milliseconds(lease.expires_millis - now_millis)),
                   " unless renewed"));
}

// The execution as this attempt starts it: what the request says, and what
// earlier attempts left that must survive.
Execution Opened(const std::optional<Execution>& stored,
                 const ClaimRequest& request, int64_t type_id) {
  Execution execution = request.execution();
  execution.set_type_id(type_id);
  execution.set_external_id(request.external_id());
  execution.set_last_known_state(Execution::RUNNING);
  execution.clear_id();
  if (!stored.has_value()) return execution;
  execution.set_id(stored->id());
  const auto prepared = stored->custom_properties().find(kPreparedOutputs);
  if (prepared != stored->custom_properties().end()) {
    (*execution.mutable_custom_properties())[kPreparedOutputs] =
        prepared->second;
  }
  return execution;
}

absl::Status PutInputs(Database& db, const ClaimRequest& request,
                       const ClaimResponse& claim, int64_t now_millis) {
  for (const Binding& input : request.inputs()) {
    RK_ASSIGN_OR_RETURN(const bool stored,
                        NodeExists<Artifact>(db, input.artifact_id()));
    if (!stored) {
      return absl::NotFoundError(
          absl::StrCat("input '", input.key(), "' is artifact ",
                       input.artifact_id(), ", which is not stored"));
    }
    for (int i = 0; i < request.contexts_size(); ++i) {
      if (request.contexts(i).outputs_only()) continue;
      RK_RETURN_IF_ERROR(
          PutAttribution(db, claim.context_ids(i), input.artifact_id()));
    }
  }
  return ReplaceBindings(db, claim.execution_id(), Event::INPUT,
                         {request.inputs().begin(), request.inputs().end()},
                         now_millis);
}

// What the execution put out, made or found.
absl::StatusOr<std::vector<Binding>> FindOutputs(Database& db,
                                                 int64_t execution_id) {
  RK_ASSIGN_OR_RETURN(std::vector<Binding> outputs,
                      FindBindings(db, execution_id, Event::OUTPUT));
  RK_ASSIGN_OR_RETURN(const std::vector<Binding> found,
                      FindBindings(db, execution_id, Event::INTERNAL_OUTPUT));
  outputs.insert(outputs.end(), found.begin(), found.end());
  return outputs;
}

absl::Status AnswerFinished(Database& db, const Execution& execution,
                            ClaimResponse& response) {
  response.set_finished(true);
  response.set_execution_id(execution.id());
  response.set_attempt(AttemptsOf(execution).last());
  RK_ASSIGN_OR_RETURN(const std::vector<Binding> outputs,
                      FindOutputs(db, execution.id()));
  *response.mutable_outputs() = {outputs.begin(), outputs.end()};
  return absl::OkStatus();
}

// Gives the execution to the caller, under the next token.
absl::Status OpenExecution(Database& db, const ClaimRequest& request,
                           const std::optional<Execution>& stored,
                           int64_t now_millis, ClaimResponse& response) {
  AttemptLog attempts("");
  int64_t token = 1;
  if (stored.has_value()) {
    RK_ASSIGN_OR_RETURN(const int64_t current, CurrentToken(db, *stored));
    token = current + 1;
    attempts = AttemptsOf(*stored);
    const auto prepared = PreparedOf(*stored);
    *response.mutable_prepared() = {prepared.begin(), prepared.end()};
  }
  attempts.Start(
      token, {request.owner(), request.node_dir(), request.lease_millis()},
      {request.previous_failure_reason(), request.previous_failure()},
      now_millis);
  RK_ASSIGN_OR_RETURN(const int64_t type_id,
                      PutType(db, request.execution_type(), kCompatible));
  Execution execution = Opened(stored, request, type_id);
  SetAttempts(attempts, &execution);
  RK_ASSIGN_OR_RETURN(const int64_t id,
                      PutNode(db, execution, {.now_millis = now_millis}));
  response.set_execution_id(id);
  response.set_token(token);
  response.set_attempt(token);
  return PutLease(db, id, {token, now_millis + request.lease_millis()});
}

// That another process holds the claim is said through `held`, with what is to
// be committed nevertheless.
absl::Status DoClaim(Database& db, const ClaimRequest& request,
                     int64_t now_millis, ClaimResponse& response,
                     absl::Status& held) {
  RK_RETURN_IF_ERROR(CheckClaim(request));
  RK_ASSIGN_OR_RETURN(
      const std::optional<Execution> stored,
      FindNodeByExternalId<Execution>(db, request.external_id()));
  if (stored.has_value()) {
    RK_ASSIGN_OR_RETURN(const auto hold, FindHold(db, *stored, now_millis));
    if (hold.has_value()) {
      held = Held(*stored, *hold, now_millis);
      return absl::OkStatus();
    }
  }
  if (stored.has_value() && IsFinished(*stored)) {
    return AnswerFinished(db, *stored, response);
  }
  RK_RETURN_IF_ERROR(EnsureContexts(db, request, now_millis, response));
  RK_RETURN_IF_ERROR(OpenExecution(db, request, stored, now_millis, response));
  for (const int64_t context : response.context_ids()) {
    RK_RETURN_IF_ERROR(PutAssociation(db, context, response.execution_id()));
  }
  return PutInputs(db, request, response, now_millis);
}

// What an execution holds while it runs.
absl::Status ReleaseClaim(Database& db, int64_t execution_id) {
  RK_RETURN_IF_ERROR(DeleteWorkOf(db, execution_id));
  return DeleteLease(db, execution_id);
}

// --- work -------------------------------------------------------------------

// The execution that works under this note, if it still does.
absl::StatusOr<std::optional<Execution>> FindWorker(Database& db,
                                                    const Work& work,
                                                    int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(std::optional<Execution> worker,
                      FindNode<Execution>(db, work.execution_id));
  if (!worker.has_value()) return std::nullopt;
  RK_ASSIGN_OR_RETURN(const auto hold, FindHold(db, *worker, now_millis));
  if (!hold.has_value() || hold->token != work.token) return std::nullopt;
  return worker;
}

absl::Status DoStartWork(Database& db, const StartWorkRequest& request,
                         int64_t now_millis, StartWorkResponse& response) {
  if (request.work_key().empty()) {
    return absl::InvalidArgumentError("starting work needs a work_key");
  }
  RK_RETURN_IF_ERROR(
      FindClaimed(db, request.execution_id(), request.token()).status());
  RK_ASSIGN_OR_RETURN(const std::optional<Work> noted,
                      FindWork(db, request.work_key()));
  if (noted.has_value() && noted->execution_id != request.execution_id()) {
    RK_ASSIGN_OR_RETURN(const std::optional<Execution> worker,
                        FindWorker(db, *noted, now_millis));
    if (worker.has_value()) {
      response.set_worker_execution_id(worker->id());
      response.set_worker_owner(AttemptsOf(*worker).last_owner());
      return absl::OkStatus();
    }
  }
  response.set_granted(true);
  return PutWork(db, request.work_key(),
                 {request.execution_id(), request.token()});
}

// --- publish ----------------------------------------------------------------

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
  RK_RETURN_IF_ERROR(PutOutputs(db, request, now_millis, response));
  return Complete(db, std::move(execution), request, now_millis);
}

// --- finish -----------------------------------------------------------------

absl::Status DoFinish(Database& db, const FinishRequest& request,
                      int64_t now_millis) {
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
    if (hold.has_value()) return Held(execution, *hold, now_millis);
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

absl::StatusOr<ClaimResponse> SqliteStepStore::Claim(
    const ClaimRequest& request) {
  absl::Status held;
  absl::StatusOr<ClaimResponse> claimed =
      Write<ClaimResponse>([&](Database& db, ClaimResponse& response) {
        held = absl::OkStatus();
        return DoClaim(db, request, clock_.NowMillis(), response, held);
      });
  if (claimed.ok() && !held.ok()) return held;
  return claimed;
}

absl::StatusOr<v1::RenewResponse> SqliteStepStore::Renew(
    const v1::RenewRequest& request) {
  return Write<v1::RenewResponse>(
      [&](Database& db, v1::RenewResponse&) -> absl::Status {
        if (request.lease_millis() <= 0) {
          return absl::InvalidArgumentError("lease_millis must be positive");
        }
        RK_RETURN_IF_ERROR(
            FindClaimed(db, request.execution_id(), request.token()).status());
        return PutLease(
            db, request.execution_id(),
            {request.token(), clock_.NowMillis() + request.lease_millis()});
      });
}

absl::StatusOr<StartWorkResponse> SqliteStepStore::StartWork(
    const StartWorkRequest& request) {
  return Write<StartWorkResponse>(
      [&](Database& db, StartWorkResponse& response) {
        return DoStartWork(db, request, clock_.NowMillis(), response);
      });
}

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
  absl::StatusOr<v1::FinishResponse> finished = Write<v1::FinishResponse>(
      [&](Database& db, v1::FinishResponse&) -> absl::Status {
        RK_RETURN_IF_ERROR(DoFinish(db, request, clock_.NowMillis()));
        return request.dry_run() ? absl::CancelledError() : absl::OkStatus();
      });
  // A dry run does it all and takes it back.
  if (request.dry_run() && absl::IsCancelled(finished.status())) {
    return v1::FinishResponse();
  }
  return finished;
}

absl::StatusOr<v1::VerifyResponse> SqliteStepStore::Verify(
    const v1::VerifyRequest& request) {
  return transactor_.Read<v1::VerifyResponse>(
      [&](Database& db, v1::VerifyResponse& response) {
        return VerifyStore(db, request, clock_.NowMillis(), response);
      });
}

absl::StatusOr<v1::DeleteResponse> SqliteStepStore::Delete(
    const v1::DeleteRequest& request) {
  v1::DeleteResponse gone;
  absl::StatusOr<v1::DeleteResponse> deleted =
      transactor_.Write<v1::DeleteResponse>(
          [&](Database& db, v1::DeleteResponse& response) -> absl::Status {
            RK_RETURN_IF_ERROR(
                DeleteNodes(db, request, clock_.NowMillis(), response));
            gone = response;
            return request.dry_run() ? absl::CancelledError()
                                     : absl::OkStatus();
          });
  // A dry run does it all and takes it back.
  if (request.dry_run() && absl::IsCancelled(deleted.status())) return gone;
  return deleted;
}

}  // namespace rekindle
