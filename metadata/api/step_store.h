#ifndef REKINDLE_METADATA_API_STEP_STORE_H_
#define REKINDLE_METADATA_API_STEP_STORE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// What a pipeline step needs of the store beyond ML Metadata's calls: to own
// its execution, and to publish only while it owns it; and to look after what
// steps leave behind. The messages of rekindle/v1/step_service.proto say what
// each field means.
//
// A claim lives in three durable facts of the execution: its state, and its
// custom properties `attempts` (a JSON list, one object per claim) and
// `prepared_outputs` (JSON, from PreparePublish to Publish). The token is the
// number of the attempt. Every method is one transaction. A method that answers
// UNAVAILABLE, because the database is locked or the server is not there, may
// be called again: the second call answers as the first would have, but for
// Claim, which then waits for its own lost lease. Thread-safe.
class StepStore {
 public:
  virtual ~StepStore() = default;

  // Takes ownership of the execution named by the external id, creating it on
  // the first claim and reopening it on a retry. A finished execution is an
  // answer, not an error, and changes nothing.
  //
  //   INVALID_ARGUMENT     the external id, the type's name or a context's name
  //                        is missing; the lease is not positive
  //   NOT_FOUND            an input artifact is not stored
  //   ALREADY_EXISTS       a stored type of that name differs
  //   FAILED_PRECONDITION  another process holds a lease that has not ended;
  //                        one that ends later than its length from now, as
  //                        when the clock was set back, is cut to its length
  virtual absl::StatusOr<rekindle::v1::ClaimResponse> Claim(
      const rekindle::v1::ClaimRequest& request) = 0;

  // Extends the lease, counted from now.
  //
  //   NOT_FOUND  no such execution
  //   ABORTED    the claim was lost to a higher token, or has ended
  virtual absl::StatusOr<rekindle::v1::RenewResponse> Renew(
      const rekindle::v1::RenewRequest& request) = 0;

  // Asks to do the work that `work_key` names. That another execution does it
  // already, under a lease that has not ended, is an answer.
  //
  //   INVALID_ARGUMENT    the work key is missing
  //   NOT_FOUND, ABORTED  as Renew
  virtual absl::StatusOr<rekindle::v1::StartWorkResponse> StartWork(
      const rekindle::v1::StartWorkRequest& request) = 0;

  // Announces what is about to become visible; replaces what was announced.
  //
  //   NOT_FOUND, ABORTED  as Renew
  virtual absl::StatusOr<rekindle::v1::PreparePublishResponse> PreparePublish(
      const rekindle::v1::PreparePublishRequest& request) = 0;

  // Records the outputs as LIVE and completes the execution. Repeated with the
  // same token it answers as the first time.
  //
  //   NOT_FOUND            no such execution, or an output with an id that is
  //                        not stored
  //   ABORTED              the claim was lost; nothing was recorded
  //   FAILED_PRECONDITION  an output's uri was not announced; or it is `cached`
  //                        and what was to be reused is not LIVE any more, or
  //                        was invalidated: nothing was recorded, compute it
  virtual absl::StatusOr<rekindle::v1::PublishResponse> Publish(
      const rekindle::v1::PublishRequest& request) = 0;

  // Ends the execution without outputs. Repeated with the same token it
  // changes nothing.
  //
  //   INVALID_ARGUMENT     the state is neither FAILED nor CANCELED
  //   NOT_FOUND, ABORTED   as Renew
  //   FAILED_PRECONDITION  only an abandoned one was to be ended, and its lease
  //                        has not ended; one that is too long is cut as by
  //                        Claim, also in a dry run
  virtual absl::StatusOr<rekindle::v1::FinishResponse> Finish(
      const rekindle::v1::FinishRequest& request) = 0;

  // Which store this is.
  //
  //   UNIMPLEMENTED  it does not say
  virtual absl::StatusOr<rekindle::v1::IdentifyResponse> Identify(
      const rekindle::v1::IdentifyRequest& /*request*/) {
    return absl::UnimplementedError("this store does not say which it is");
  }

  // Checks the store itself. What is wrong with it is an answer, not an error.
  virtual absl::StatusOr<rekindle::v1::VerifyResponse> Verify(
      const rekindle::v1::VerifyRequest& request) = 0;

  // Removes nodes with all that belongs to them, all of them or none.
  //
  //   INVALID_ARGUMENT     nothing is named
  //   NOT_FOUND            names the nodes that are not stored
  //   FAILED_PRECONDITION  names what is in the way
  virtual absl::StatusOr<rekindle::v1::DeleteResponse> Delete(
      const rekindle::v1::DeleteRequest& request) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_STEP_STORE_H_
