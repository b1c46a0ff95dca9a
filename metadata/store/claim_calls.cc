// Calls of SqliteStepStore that begin an attempt, and keep it.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/sqlite/store_id.h"
#include "metadata/store/claims.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/lease_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/put_node.h"
#include "metadata/store/sqlite_step_store.h"
#include "metadata/store/step_rows.h"
#include "metadata/store/type_rows.h"
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
using ::rekindle::v1::StartWorkRequest;
using ::rekindle::v1::StartWorkResponse;

// TFX's name for the contexts in which executions find the work of others.
constexpr char kCacheContextType[] = "execution_cache";

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
  RK_RETURN_IF_ERROR(CheckLease(request.lease_millis()));
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

// Names of the stored context's parents of a type.
absl::StatusOr<std::vector<std::string>> FindParentNames(
    Database& db, const ContextOfStep& child, const std::string& parent_type) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare("SELECT parent.name FROM Context child "
                 "JOIN ParentContext edge ON edge.context_id = child.id "
                 "JOIN Context parent ON parent.id = edge.parent_context_id "
                 "WHERE child.name = ? AND child.type_id IN "
                 "(SELECT id FROM Type WHERE name = ? AND type_kind = 2) "
                 "AND parent.type_id IN "
                 "(SELECT id FROM Type WHERE name = ? AND type_kind = 2)"));
  rows.Bind(child.name(), child.type().name(), parent_type);
  std::vector<std::string> names;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return names;
    names.emplace_back(rows.Text(0));
  }
}

// Refuses a parent beside another of its type: a run has one pipeline. Checked
// in the transaction of the claim, so that of two pipelines that take the same
// run id at the same time one is refused.
absl::Status CheckOnlyParent(Database& db, const ContextOfStep& child,
                             const ContextOfStep& parent) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      FindParentNames(db, child, parent.type().name()));
  if (names.empty() ||
      std::find(names.begin(), names.end(), parent.name()) != names.end()) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(
      absl::StrCat(child.type().name(), " '", child.name(), "' belongs to ",
                   parent.type().name(), " '", names.front(), "', not to '",
                   parent.name(), "'; give this run another --run-id"));
}

absl::Status CheckParents(Database& db, const ClaimRequest& request) {
  for (const ContextOfStep& context : request.contexts()) {
    if (context.parent_index() < 0) continue;
    RK_RETURN_IF_ERROR(
        CheckOnlyParent(db, context, request.contexts(context.parent_index())));
  }
  return absl::OkStatus();
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

// The execution as this attempt starts it: what the request says, and what
// earlier attempts left that must survive.
Execution Opened(const std::optional<Execution>& stored,
                 const ClaimRequest& request, int64_t type_id) {
  Execution execution = request.execution();
  execution.set_type_id(type_id);
  execution.set_external_id(request.external_id());
  execution.set_last_known_state(Execution::RUNNING);
  execution.clear_id();
  auto& properties = *execution.mutable_custom_properties();
  if (!request.work_key().empty()) {
    properties[kWorkKey].set_string_value(request.work_key());
  }
  if (!stored.has_value()) return execution;
  execution.set_id(stored->id());
  for (const char* kept : {kPreparedOutputs, kPreparedWorkKey, kWorkKey}) {
    const auto found = stored->custom_properties().find(kept);
    if (found != stored->custom_properties().end()) {
      properties.insert({kept, found->second});
    }
  }
  return execution;
}

bool IsCacheContext(const ContextOfStep& context) {
  return context.type().name() == kCacheContextType;
}

// An earlier attempt may have had other work: what this one puts out is not to
// be found under that one's key.
absl::Status LeaveOtherCacheContexts(Database& db, const ClaimRequest& request,
                                     const ClaimResponse& claim) {
  std::set<int64_t> ours;
  for (int i = 0; i < request.contexts_size(); ++i) {
    if (IsCacheContext(request.contexts(i))) ours.insert(claim.context_ids(i));
  }
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> all,
                      ContextIdsOfExecution(db, claim.execution_id()));
  for (const int64_t id : all) {
    if (ours.contains(id)) continue;
    RK_ASSIGN_OR_RETURN(const std::optional<Context> context,
                        FindNode<Context>(db, id));
    if (!context.has_value() || context->type() != kCacheContextType) continue;
    RK_RETURN_IF_ERROR(RemoveAssociation(db, id, claim.execution_id()));
  }
  return absl::OkStatus();
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
    response.set_prepared_is_same_work(
        !request.work_key().empty() &&
        TextProperty(*stored, kPreparedWorkKey) == request.work_key());
  }
  RK_ASSIGN_OR_RETURN(const std::string store_id, FindStoreId(db));
  attempts.Start(
      token,
      {request.owner(), request.node_dir(), store_id, request.lease_millis()},
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
  response.set_store_id(store_id);
  return PutLease(db, id, {token, now_millis + request.lease_millis()});
}

// That another process holds the claim is said through `held`, with what is to
// be committed nevertheless.
absl::Status DoClaim(Database& db, const ClaimRequest& request,
                     int64_t now_millis, ClaimResponse& response,
                     absl::Status& held) {
  RK_RETURN_IF_ERROR(CheckClaim(request));
  RK_RETURN_IF_ERROR(CheckParents(db, request));
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
  if (stored.has_value() && !request.work_key().empty()) {
    RK_RETURN_IF_ERROR(LeaveOtherCacheContexts(db, request, response));
  }
  return PutInputs(db, request, response, now_millis);
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
        RK_RETURN_IF_ERROR(CheckLease(request.lease_millis()));
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

}  // namespace rekindle
