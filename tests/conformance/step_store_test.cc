#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::ml_metadata::Execution;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kClaim[] = R"(
    external_id: 'run-1/trainer'
    execution { name: 'e' custom_properties {
        key: 'train_args' value { string_value: '{}' } } }
    execution_type { name: 'tfx.Trainer' base_type: TRAIN }
    contexts { type { name: 'pipeline' } name: 'penguin' parent_index: -1 }
    contexts { type { name: 'pipeline_run' } name: 'run-1' parent_index: 0 }
    lease_millis: 60000
    owner: 'pod-a' )";

constexpr char kOutput[] = R"(
    outputs { key: 'model' type { name: 'Model' base_type: MODEL }
              artifact { uri: '/models/1' name: 'm' } })";

class StepStoreTest : public StoreTest {
 protected:
  absl::StatusOr<v1::ClaimResponse> Claim(const std::string& more = "") {
    return Call(&StepStore::Claim, kClaim + more);
  }
  absl::Status Prepare(int64_t token) {
    return Call(&StepStore::PreparePublish,
                absl::StrCat("execution_id: 1 token: ", token,
                             " outputs { uri: '/models/1' digest: 'd' }"))
        .status();
  }
  absl::StatusOr<v1::PublishResponse> Publish(int64_t token,
                                              const std::string& more = "") {
    return Call(&StepStore::Publish,
                absl::StrCat("execution_id: 1 token: ", token, kOutput, more));
  }
  absl::Status Finish(int64_t token, const std::string& more) {
    return Call(&StepStore::Finish,
                absl::StrCat("execution_id: 1 token: ", token, " ", more))
        .status();
  }
  nlohmann::json Attempts() {
    return nlohmann::json::parse(
        GetExecution(1).custom_properties().at("attempts").string_value());
  }
};

TEST_P(StepStoreTest, AFirstClaimCreatesTheExecutionItsTypesAndContexts) {
  RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
  EXPECT_THAT(claim, LooksLike("execution_id: 1 token: 1 attempt: 1 "
                               "context_ids: 1 context_ids: 2"));
  EXPECT_THAT(GetExecution(1),
              LooksLike("name: 'e' type: 'tfx.Trainer' external_id: "
                        "'run-1/trainer' last_known_state: RUNNING "
                        "custom_properties { key: 'train_args' value { "
                        "string_value: '{}' } }"));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto parents,
      Call(&MetadataStore::GetParentContextsByContext, "context_id: 2"));
  EXPECT_THAT(parents.contexts(), ElementsAre(LooksLike("name: 'penguin'")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto contexts,
      Call(&MetadataStore::GetContextsByExecution, "execution_id: 1"));
  EXPECT_THAT(contexts.contexts(), SizeIs(2));
}

TEST_P(StepStoreTest, InputsAreJoinedByEventsAndBelongToTheContexts) {
  PutArtifact();
  PutArtifact();
  EXPECT_THAT(Claim("inputs { key: 'examples' index: 0 artifact_id: 1 } "
                    "inputs { key: 'examples' index: 1 artifact_id: 2 } "
                    "inputs { key: 'baseline' index: 0 artifact_id: 1 }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1"));
  EXPECT_THAT(
      events.events(),
      ElementsAre(LooksLike("artifact_id: 1 type: INPUT path { steps { key: "
                            "'examples' } steps { index: 0 } steps { key: "
                            "'baseline' } steps { index: 0 } }"),
                  LooksLike("artifact_id: 2 type: INPUT path { steps { key: "
                            "'examples' } steps { index: 1 } }")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto members,
      Call(&MetadataStore::GetArtifactsByContext, "context_id: 2"));
  EXPECT_THAT(members.artifacts(), SizeIs(2));
}

TEST_P(StepStoreTest, AMissingInputLeavesNothingBehind) {
  EXPECT_THAT(Claim("inputs { key: 'examples' artifact_id: 9 }"),
              StatusIs(StatusCode::kNotFound, HasSubstr("'examples'")));
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetExecutions, ""));
  EXPECT_THAT(all.executions(), IsEmpty());
  RK_ASSERT_OK_AND_ASSIGN(const auto contexts,
                          Call(&MetadataStore::GetContexts, ""));
  EXPECT_THAT(contexts.contexts(), IsEmpty());
}

TEST_P(StepStoreTest, IncompleteClaimsAreRefused) {
  for (const char* claim :
       {"execution_type { name: 'T' } lease_millis: 1",
        "external_id: 'x' lease_millis: 1",
        "external_id: 'x' execution_type { name: 'T' }",
        "external_id: 'x' execution_type { name: 'T' } lease_millis: 1 "
        "contexts { type { name: 'p' } parent_index: -1 }",
        "external_id: 'x' execution_type { name: 'T' } lease_millis: 1 "
        "contexts { type { name: 'p' } name: 'c' parent_index: 0 }"}) {
    EXPECT_THAT(Call(&StepStore::Claim, claim),
                StatusIs(StatusCode::kInvalidArgument))
        << claim;
  }
}

TEST_P(StepStoreTest, ARunningExecutionIsRefusedUntilItsLeaseEnds) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition,
                                HasSubstr("being run by pod-a; its lease ends "
                                          "in 1s")));
  clock_.Advance(absl::Seconds(1));
  RK_ASSERT_OK_AND_ASSIGN(const auto second, Claim());
  EXPECT_THAT(second, LooksLike("execution_id: 1 token: 2 attempt: 2"));
  EXPECT_EQ(Attempts()[0]["state"], "LOST");
}

TEST_P(StepStoreTest, RenewingMovesTheEndOfTheLease) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(
      Call(&StepStore::Renew, "execution_id: 1 token: 1 lease_millis: 60000"),
      IsOk());
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_P(StepStoreTest, AnOldTokenCanDoNothing) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(absl::Minutes(2));
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(
      Call(&StepStore::Renew, "execution_id: 1 token: 1 lease_millis: 60000"),
      StatusIs(StatusCode::kAborted, HasSubstr("attempt 2")));
  EXPECT_THAT(Prepare(1), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Publish(1), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Finish(1, "state: FAILED"), StatusIs(StatusCode::kAborted));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::RUNNING);
}

TEST_P(StepStoreTest, PublishingRecordsTheOutputsAndCompletes) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Prepare(1), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto published,
      Publish(1, " custom_properties { key: 'k' value { int_value: 3 } }"));
  EXPECT_THAT(published.artifact_ids(), ElementsAre(1));
  EXPECT_THAT(GetArtifact(1), LooksLike("type: 'Model' name: 'm' uri: "
                                        "'/models/1' state: LIVE"));
  const Execution execution = GetExecution(1);
  EXPECT_THAT(execution, LooksLike("last_known_state: COMPLETE "
                                   "custom_properties { key: 'k' value { "
                                   "int_value: 3 } }"));
  EXPECT_FALSE(execution.custom_properties().contains("prepared_outputs"));
  EXPECT_EQ(Attempts()[0]["state"], "COMPLETE");
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByArtifactIDs, "artifact_ids: 1"));
  EXPECT_THAT(events.events(),
              ElementsAre(LooksLike("type: OUTPUT path { steps { key: 'model' "
                                    "} steps { index: 0 } }")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto contexts,
      Call(&MetadataStore::GetContextsByArtifact, "artifact_id: 1"));
  EXPECT_THAT(contexts.contexts(), SizeIs(2));
}

TEST_P(StepStoreTest, PublishingAgainAnswersAsTheFirstTime) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Publish(1), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto again, Publish(1));
  EXPECT_THAT(again.artifact_ids(), ElementsAre(1));
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetArtifacts, ""));
  EXPECT_THAT(all.artifacts(), SizeIs(1));
}

TEST_P(StepStoreTest, WhatWasNotAnnouncedIsNotPublished) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Publish(1), StatusIs(StatusCode::kFailedPrecondition,
                                   HasSubstr("'/models/1'")));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::RUNNING);
}

TEST_P(StepStoreTest, ACacheHitLinksArtifactsOfAnEarlierExecution) {
  const int64_t stored = PutArtifact("uri: '/old'");
  EXPECT_THAT(Claim(), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto published,
      Call(&StepStore::Publish,
           absl::StrCat("execution_id: 1 token: 1 cached: true outputs { key: "
                        "'model' artifact { id: ",
                        stored, " } }")));
  EXPECT_THAT(published.artifact_ids(), ElementsAre(stored));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::CACHED);
  EXPECT_EQ(GetArtifact(stored).uri(), "/old");
  EXPECT_THAT(Call(&StepStore::Publish,
                   "execution_id: 1 token: 1 outputs { key: 'x' artifact { id: "
                   "99 } }"),
              StatusIs(StatusCode::kAborted));
}

TEST_P(StepStoreTest, AFinishedExecutionAnswersWithItsOutputs) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Publish(1), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
  EXPECT_THAT(claim, LooksLike("execution_id: 1 finished: true outputs { key: "
                               "'model' artifact_id: 1 }"));
  EXPECT_EQ(claim.token(), 0);
  EXPECT_THAT(Attempts(), SizeIs(1));
}

TEST_P(StepStoreTest, AFailedExecutionKeepsItsReasonAndIsReopened) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Finish(1, "state: FAILED reason: 'out of memory'"), IsOk());
  EXPECT_THAT(Finish(1, "state: FAILED"), IsOk());
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::FAILED);
  EXPECT_EQ(Attempts()[0]["reason"], "out of memory");

  RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
  EXPECT_THAT(claim, LooksLike("execution_id: 1 token: 2 prepared { uri: "
                               "'/models/1' digest: 'd' }"));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::RUNNING);
  EXPECT_THAT(Attempts(), SizeIs(2));
}

TEST_P(StepStoreTest, AReopenedExecutionHasTheInputsOfItsLastAttempt) {
  PutArtifact();
  PutArtifact();
  EXPECT_THAT(Claim("inputs { key: 'examples' artifact_id: 1 }"), IsOk());
  EXPECT_THAT(Finish(1, "state: CANCELED"), IsOk());
  EXPECT_THAT(Claim("inputs { key: 'examples' artifact_id: 2 }"), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1"));
  EXPECT_THAT(events.events(), ElementsAre(LooksLike("artifact_id: 2")));
}

TEST_P(StepStoreTest, FinishingTakesOnlyFailedOrCanceled) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Finish(1, ""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(
      Call(&StepStore::Finish, "execution_id: 9 token: 1 state: FAILED"),
      StatusIs(StatusCode::kNotFound));
}

RK_FOR_ALL_STORES(StepStoreTest);

}  // namespace
}  // namespace rekindle
