#ifndef REKINDLE_COMPONENT_LAUNCH_RETRYING_STEP_STORE_H_
#define REKINDLE_COMPONENT_LAUNCH_RETRYING_STEP_STORE_H_

#include <functional>
#include <utility>

#include "absl/status/statusor.h"
#include "base/backoff.h"
#include "metadata/api/step_store.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// A step store whose calls wait for a store that is away for a while: locked by
// somebody, or its server restarted. What stays away is STORE_UNREACHABLE.
// Thread-safe if what makes the pauses is.
class RetryingStepStore : public StepStore {
 public:
  // `store` is not owned and must outlive this. `options` are those of every
  // call.
  RetryingStepStore(StepStore& store, Backoff::Options options)
      : store_(store), options_(std::move(options)) {}

  absl::StatusOr<v1::ClaimResponse> Claim(
      const v1::ClaimRequest& request) override {
    return Retry(&StepStore::Claim, request);
  }
  absl::StatusOr<v1::RenewResponse> Renew(
      const v1::RenewRequest& request) override {
    return Retry(&StepStore::Renew, request);
  }
  absl::StatusOr<v1::StartWorkResponse> StartWork(
      const v1::StartWorkRequest& request) override {
    return Retry(&StepStore::StartWork, request);
  }
  absl::StatusOr<v1::PreparePublishResponse> PreparePublish(
      const v1::PreparePublishRequest& request) override {
    return Retry(&StepStore::PreparePublish, request);
  }
  absl::StatusOr<v1::PublishResponse> Publish(
      const v1::PublishRequest& request) override {
    return Retry(&StepStore::Publish, request);
  }
  absl::StatusOr<v1::FinishResponse> Finish(
      const v1::FinishRequest& request) override {
    return Retry(&StepStore::Finish, request);
  }
  absl::StatusOr<v1::IdentifyResponse> Identify(
      const v1::IdentifyRequest& request) override {
    return Retry(&StepStore::Identify, request);
  }
  absl::StatusOr<v1::VerifyResponse> Verify(
      const v1::VerifyRequest& request) override {
    return Retry(&StepStore::Verify, request);
  }
  absl::StatusOr<v1::DeleteResponse> Delete(
      const v1::DeleteRequest& request) override {
    return Retry(&StepStore::Delete, request);
  }

 private:
  template <typename Request, typename Response>
  absl::StatusOr<Response> Retry(
      absl::StatusOr<Response> (StepStore::*method)(const Request&),
      const Request& request) {
    absl::StatusOr<Response> answer = RetryWhileTransient(
        Backoff(options_), [&] { return (store_.*method)(request); });
    if (IsTransient(answer.status())) return Unreachable(answer.status());
    return answer;
  }

  absl::Status Unreachable(const absl::Status& status) const;

  StepStore& store_;
  const Backoff::Options options_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_RETRYING_STEP_STORE_H_
