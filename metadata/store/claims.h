// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_CLAIMS_H_
#define REKINDLE_METADATA_STORE_CLAIMS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/lease_rows.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Who may work on an execution: the attempt with the highest token, as long as
// its lease lasts.

// The longest lease. Who dies holds an execution for that long.
inline constexpr int64_t kMaxLeaseMillis = int64_t{30} * 24 * 60 * 60 * 1000;

//   INVALID_ARGUMENT  it is not positive, or longer than that
absl::Status CheckLease(int64_t millis);

// The highest token given out for the execution. The lease may have been
// dropped and the attempts overwritten, by whoever; both at once is unlikely.
absl::StatusOr<int64_t> CurrentToken(Database& db,
                                     const ml_metadata::Execution& execution);

//   NOT_FOUND  there is no such execution
absl::StatusOr<ml_metadata::Execution> FindExecution(Database& db, int64_t id);

//   ABORTED  the execution was given to a later attempt
absl::Status CheckToken(Database& db, const ml_metadata::Execution& execution,
                        int64_t token);

// The execution, if the claim with this token still holds.
//
//   NOT_FOUND  there is no such execution
//   ABORTED    it was given to a later attempt, or runs no more
absl::StatusOr<ml_metadata::Execution> FindClaimed(Database& db, int64_t id,
                                                   int64_t token);

// The lease that keeps others from the execution; nullopt if none does. One
// that seems to last longer than leases of its owner do, or than any may, was
// given out before the clock was set back: it is cut to that length by the
// first call that sees it, so that a dead owner's does not live for hours. A
// live owner renews it before that. To be committed whatever the call answers.
absl::StatusOr<std::optional<Lease>> FindHold(
    Database& db, const ml_metadata::Execution& execution, int64_t now_millis);

// FAILED_PRECONDITION: who holds the execution, and for how long.
absl::Status Held(const ml_metadata::Execution& execution, const Lease& lease,
                  int64_t now_millis);

// Drops what the execution holds while it runs.
absl::Status ReleaseClaim(Database& db, int64_t execution_id);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_CLAIMS_H_
