#include "component/workers/chief.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "component/launch/failure.h"
#include "component/launch/tfx_names.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using State = Chief::State;

Chief AChief(State state, int64_t id, int64_t attempt) {
  Chief chief;
  chief.state = state;
  chief.attempt = attempt;
  chief.execution.set_id(id);
  chief.execution.set_last_known_state(
      state == State::kFailure ? Execution::FAILED : Execution::RUNNING);
  return chief;
}

Chief Failed(const absl::Status& error, FailureReason reason) {
  Chief chief = AChief(State::kFailure, 7, 1);
  auto& properties = *chief.execution.mutable_custom_properties();
  properties[kExecutionResultProperty] =
      StringValue(ExecutionResultJson(error));
  properties[kFailureReasonProperty] = StringValue(FailureReasonName(reason));
  return chief;
}

Chief Canceled() {
  Chief chief = AChief(State::kFailure, 7, 1);
  chief.execution.set_last_known_state(Execution::CANCELED);
  return chief;
}

struct EndCase {
  std::string name;
  Chief now;
  std::optional<absl::StatusCode> code;  // nullopt: it goes on
  FailureReason reason = FailureReason::kExecutorError;
};

void PrintTo(const EndCase& end_case, std::ostream* out) {
  *out << end_case.name;
}

class EndOfWorkTest : public ::testing::TestWithParam<EndCase> {};

TEST_P(EndOfWorkTest, FollowsTheChief) {
  const auto end = EndOfWork(AChief(State::kWorking, 7, 1), GetParam().now);
  ASSERT_EQ(end.has_value(), GetParam().code.has_value());
  if (!end.has_value()) return;
  EXPECT_EQ(end->code(), *GetParam().code) << *end;
  if (end->ok()) return;
  EXPECT_EQ(ReasonOf(*end), GetParam().reason) << *end;
}

INSTANTIATE_TEST_SUITE_P(
    Of, EndOfWorkTest,
    ::testing::ValuesIn(std::vector<EndCase>{
        {"GoesOnWhileItWorks", AChief(State::kWorking, 7, 1), std::nullopt},
        {"IsDoneWhenItSucceeded", AChief(State::kSuccess, 7, 1),
         absl::StatusCode::kOk},
        {"IsDoneWhenALaterAttemptSucceeded", AChief(State::kSuccess, 7, 2),
         absl::StatusCode::kOk},
        {"IsLostWithAChiefThatVanished", AChief(State::kVanished, 7, 1),
         absl::StatusCode::kUnavailable, FailureReason::kLauncherLost},
        {"IsLostWhenTheNextAttemptWorks", AChief(State::kWorking, 7, 2),
         absl::StatusCode::kUnavailable, FailureReason::kLauncherLost},
        {"IsLostWhenTheExecutionIsDeleted", Chief{},
         absl::StatusCode::kUnavailable, FailureReason::kLauncherLost},
        {"IsLostWhenTheChiefIsStopped", Canceled(),
         absl::StatusCode::kUnavailable, FailureReason::kLauncherLost},
        {"FailsAsTheChiefDid",
         Failed(absl::InvalidArgumentError("no label"),
                FailureReason::kExecutorError),
         absl::StatusCode::kInvalidArgument, FailureReason::kExecutorError},
        {"MayBeTriedAgainAsTheChief",
         Failed(absl::ResourceExhaustedError("killed"),
                FailureReason::kOutOfMemory),
         absl::StatusCode::kResourceExhausted, FailureReason::kOutOfMemory},
        {"MayBeTriedAgainWhenTheChiefLostItsClaim",
         Failed(absl::AbortedError("taken over"), FailureReason::kClaimLost),
         absl::StatusCode::kUnavailable, FailureReason::kClaimLost},
        {"FailsWithoutAWordToo", AChief(State::kFailure, 7, 1),
         absl::StatusCode::kUnknown, FailureReason::kExecutorError},
    }),
    [](const auto& test) { return test.param.name; });

class LookAtChiefTest : public ::testing::Test {
 protected:
  LookAtChiefTest() : store_(*OpenSqliteStore(":memory:", clock_)) {}

  v1::ClaimResponse Claim() {
    v1::ClaimRequest request;
    request.set_external_id("run/Trainer");
    request.set_lease_millis(30'000);
    request.set_owner("chief");
    request.set_node_dir("/root/Trainer");
    *request.mutable_execution_type() = TrainerType();
    const auto claim = store_->steps().Claim(request);
    EXPECT_THAT(claim, IsOk());
    return claim.value_or(v1::ClaimResponse());
  }

  State Look() {
    const auto chief = LookAtChief("run/Trainer", *store_);
    EXPECT_THAT(chief, IsOk());
    return chief.ok() ? chief->state : State::kAbsent;
  }

  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<Store> store_;
};

TEST_F(LookAtChiefTest, SeesAClaimComeAndGo) {
  EXPECT_EQ(Look(), State::kAbsent);
  Claim();
  EXPECT_EQ(Look(), State::kWorking);
  clock_.Advance(absl::Seconds(31));
  EXPECT_EQ(Look(), State::kVanished);

  const v1::ClaimResponse retry = Claim();
  RK_ASSERT_OK_AND_ASSIGN(const Chief chief,
                          LookAtChief("run/Trainer", *store_));
  EXPECT_EQ(chief.state, State::kWorking);
  EXPECT_EQ(chief.attempt, 2);
  EXPECT_EQ(chief.node_dir, "/root/Trainer");

  v1::FinishRequest finish;
  finish.set_execution_id(retry.execution_id());
  finish.set_token(retry.token());
  finish.set_state(v1::FinishRequest::FAILED);
  EXPECT_THAT(store_->steps().Finish(finish), IsOk());
  EXPECT_EQ(Look(), State::kFailure);

  const v1::ClaimResponse last = Claim();
  v1::PublishRequest publish;
  publish.set_execution_id(last.execution_id());
  publish.set_token(last.token());
  EXPECT_THAT(store_->steps().Publish(publish), IsOk());
  EXPECT_EQ(Look(), State::kSuccess);
}

TEST_F(LookAtChiefTest, LookingChangesNothing) {
  const v1::ClaimResponse claim = Claim();
  clock_.Advance(absl::Seconds(31));
  EXPECT_EQ(Look(), State::kVanished);
  // One that slept can go on.
  v1::RenewRequest renew;
  renew.set_execution_id(claim.execution_id());
  renew.set_token(claim.token());
  renew.set_lease_millis(30'000);
  EXPECT_THAT(store_->steps().Renew(renew), IsOk());
  EXPECT_EQ(Look(), State::kWorking);
}

}  // namespace
}  // namespace rekindle
