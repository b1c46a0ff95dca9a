#include "metadata/store/claims.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/store/lease_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/step_rows.h"
#include "metadata/store/work_rows.h"

namespace rekindle {

using ::ml_metadata::Execution;

absl::Status CheckLease(int64_t millis) {
  if (millis >= 1 && millis <= kMaxLeaseMillis) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("lease_millis is ", millis, "; it must be from 1 to ",
                   kMaxLeaseMillis, ", which is thirty days"));
}

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

absl::StatusOr<Execution> FindClaimed(Database& db, int64_t id, int64_t token) {
  RK_ASSIGN_OR_RETURN(Execution execution, FindExecution(db, id));
  RK_RETURN_IF_ERROR(CheckToken(db, execution, token));
  if (execution.last_known_state() == Execution::RUNNING) return execution;
  return absl::AbortedError(
      absl::StrCat("execution ", id, " is ",
                   Execution::State_Name(execution.last_known_state()),
                   " and no longer runs"));
}

absl::StatusOr<std::optional<Lease>> FindHold(Database& db,
                                              const Execution& execution,
                                              int64_t now_millis) {
  if (execution.last_known_state() != Execution::RUNNING) return std::nullopt;
  RK_ASSIGN_OR_RETURN(std::optional<Lease> lease,
                      FindLease(db, execution.id()));
  if (!lease.has_value() || lease->expires_millis <= now_millis) {
    return std::nullopt;
  }
  // Whatever was written, and by whom.
  const int64_t length = std::clamp(
      AttemptsOf(execution).last_lease_millis().value_or(kMaxLeaseMillis),
      int64_t{1}, kMaxLeaseMillis);
  if (lease->expires_millis - now_millis > length) {
    lease->expires_millis = now_millis + length;
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

absl::Status ReleaseClaim(Database& db, int64_t execution_id) {
  RK_RETURN_IF_ERROR(DeleteWorkOf(db, execution_id));
  return DeleteLease(db, execution_id);
}

}  // namespace rekindle
