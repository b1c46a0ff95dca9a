// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_SQLITE_STEP_STORE_H_
#define REKINDLE_METADATA_STORE_SQLITE_STEP_STORE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "metadata/api/step_store.h"
#include "metadata/store/transactor.h"

namespace rekindle {

// The steps' side of a SQLite database. Thread-safe.
class SqliteStepStore : public StepStore {
 public:
  // `transactor` and `clock` are not owned and must outlive the store.
  SqliteStepStore(Transactor& transactor, const Clock& clock)
      : transactor_(transactor), clock_(clock) {}

  absl::StatusOr<v1::ClaimResponse> Claim(
      const v1::ClaimRequest& request) override;
  absl::StatusOr<v1::RenewResponse> Renew(
      const v1::RenewRequest& request) override;
  absl::StatusOr<v1::StartWorkResponse> StartWork(
      const v1::StartWorkRequest& request) override;
  absl::StatusOr<v1::PreparePublishResponse> PreparePublish(
      const v1::PreparePublishRequest& request) override;
  absl::StatusOr<v1::PublishResponse> Publish(
      const v1::PublishRequest& request) override;
  absl::StatusOr<v1::FinishResponse> Finish(
      const v1::FinishRequest& request) override;
  absl::StatusOr<v1::IdentifyResponse> Identify(
      const v1::IdentifyRequest& request) override;
  absl::StatusOr<v1::VerifyResponse> Verify(
      const v1::VerifyRequest& request) override;
  absl::StatusOr<v1::DeleteResponse> Delete(
      const v1::DeleteRequest& request) override;

 private:
  // As Transactor::Write, but a locked database is UNAVAILABLE: to a step
  // ABORTED means that its claim was lost.
  template <typename Answer>
  absl::StatusOr<Answer> Write(
      absl::FunctionRef<absl::Status(Database&, Answer&)> work) {
    bool refused = false;  // by the work itself
    absl::StatusOr<Answer> answer =
        transactor_.Write<Answer>([&](Database& db, Answer& to_fill) {
          absl::Status worked = work(db, to_fill);
          refused = !worked.ok();
          return worked;
        });
    if (!refused && absl::IsAborted(answer.status())) {
      return absl::UnavailableError(answer.status().message());
    }
    return answer;
  }

  Transactor& transactor_;
  const Clock& clock_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_SQLITE_STEP_STORE_H_
