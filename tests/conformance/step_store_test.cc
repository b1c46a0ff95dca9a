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
  // A hit: the first execution puts out what is stored.
  absl::StatusOr<v1::PublishResponse> Reuse(int64_t artifact) {
    return Call(&StepStore::Publish,
                absl::StrCat("execution_id: 1 token: 1 cached: true outputs { "
                             "key: 'model' artifact { id: ",
                             artifact, " } }"));
  }
  absl::Status Finish(int64_t token, const std::string& more) {
    return Call(&StepStore::Finish,
                absl::StrCat("execution_id: 1 token: ", token, " ", more))
        .status();
  }
  // A second execution, of another run; its id is 2.
  absl::StatusOr<v1::ClaimResponse> ClaimAnother() {
    return Call(&StepStore::Claim,
                "external_id: 'run-2/trainer' execution_type { name: "
                "'tfx.Trainer' base_type: TRAIN } lease_millis: 60000 "
                "owner: 'pod-b'");
  }
  absl::StatusOr<v1::StartWorkResponse> StartWork(
      int64_t execution, int64_t token, const std::string& key = "k") {
    return Call(&StepStore::StartWork,
                absl::StrCat("execution_id: ", execution, " token: ", token,
                             " work_key: '", key, "'"));
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

TEST_P(StepStoreTest, AContextForOutputsOnlyGetsNoInputs) {
  PutArtifact();
  RK_ASSERT_OK_AND_ASSIGN(
      const auto claim,
      Claim("contexts { type { name: 'execution_cache' } name: 'k' "
            "parent_index: -1 outputs_only: true } "
            "inputs { key: 'examples' artifact_id: 1 }"));
  EXPECT_THAT(Prepare(claim.token()), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto published, Publish(claim.token()));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto members,
      Call(&MetadataStore::GetArtifactsByContext, "context_id: 3"));
  ASSERT_THAT(members.artifacts(), SizeIs(1));
  EXPECT_EQ(members.artifacts(0).id(), published.artifact_ids(0));
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

TEST_P(StepStoreTest, ALeaseThatNoClockCanEndIsRefused) {
  EXPECT_THAT(Claim(), IsOk());
  for (const char* lease : {"-1", "0", "2592000001", "9223372036854775807"}) {
    EXPECT_THAT(
        Call(&StepStore::Claim,
             absl::StrCat("external_id: 'x' execution_type { name: 'T' } "
                          "lease_millis: ",
                          lease)),
        StatusIs(StatusCode::kInvalidArgument, HasSubstr(lease)));
    EXPECT_THAT(
        Call(&StepStore::Renew,
             absl::StrCat("execution_id: 1 token: 1 lease_millis: ", lease)),
        StatusIs(StatusCode::kInvalidArgument, HasSubstr(lease)));
  }
  EXPECT_THAT(Call(&StepStore::Renew,
                   "execution_id: 1 token: 1 lease_millis: 2592000000"),
              IsOk());
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
  const int64_t stored = PutArtifact("uri: '/old' state: LIVE");
  EXPECT_THAT(Claim(), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto published, Reuse(stored));
  EXPECT_THAT(published.artifact_ids(), ElementsAre(stored));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::CACHED);
  EXPECT_EQ(GetArtifact(stored).uri(), "/old");
  EXPECT_THAT(Call(&StepStore::Publish,
                   "execution_id: 1 token: 1 outputs { key: 'x' artifact { id: "
                   "99 } }"),
              StatusIs(StatusCode::kAborted));
}

TEST_P(StepStoreTest, OnlyWhatIsLiveIsReused) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Reuse(99), StatusIs(StatusCode::kFailedPrecondition,
                                  HasSubstr("artifact 99, which is not "
                                            "stored now")));
  const int64_t stored = PutArtifact("uri: '/old' state: DELETED");
  EXPECT_THAT(Reuse(stored), StatusIs(StatusCode::kFailedPrecondition,
                                      HasSubstr("which is DELETED now")));
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::RUNNING);
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1"));
  EXPECT_THAT(events.events(), IsEmpty());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Publish(1), IsOk()) << "it may compute instead";
}

TEST_P(StepStoreTest, WhatWasInvalidatedIsNotReused) {
  const int64_t stored = PutArtifact("uri: '/old' state: LIVE");
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(
      Finish(1,
             "state: FAILED custom_properties { key: 'cache_invalidated' value "
             "{ string_value: '2026-01-01T00:00:00Z' } }"),
      IsOk());
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_THAT(
      Call(&StepStore::Publish,
           absl::StrCat("execution_id: 2 token: 1 cached: true outputs { key: "
                        "'model' artifact { id: ",
                        stored,
                        " } } custom_properties { key: 'cached_from' value { "
                        "int_value: 1 } }")),
      StatusIs(StatusCode::kFailedPrecondition,
               HasSubstr("execution 1 were invalidated")));
  EXPECT_EQ(GetExecution(2).last_known_state(), Execution::RUNNING);
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

TEST_P(StepStoreTest, AClaimOfAFinishedExecutionWritesNothing) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Publish(1), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto claim,
      Claim("contexts { type { name: 'execution_cache' } name: 'another' "
            "parent_index: -1 }"));
  EXPECT_TRUE(claim.finished());
  EXPECT_THAT(Call(&MetadataStore::GetContexts, "")->contexts(), SizeIs(2));
  EXPECT_THAT(
      Call(&MetadataStore::GetContextType, "type_name: 'execution_cache'"),
      StatusIs(StatusCode::kNotFound));
}

TEST_P(StepStoreTest, OfTwoThatAskForTheSameWorkOneGetsIt) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(ClaimAnother(), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto first, StartWork(1, 1));
  EXPECT_THAT(first, LooksLike("granted: true"));
  RK_ASSERT_OK_AND_ASSIGN(const auto second, StartWork(2, 1));
  EXPECT_THAT(second,
              LooksLike("worker_execution_id: 1 worker_owner: 'pod-a'"));
  EXPECT_FALSE(second.granted());
  EXPECT_TRUE(StartWork(1, 1)->granted()) << "it has it already";
  EXPECT_TRUE(StartWork(2, 1, "other")->granted());
}

TEST_P(StepStoreTest, WorkIsFreeOnceItsWorkerPublishedOrFailed) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_TRUE(StartWork(2, 1)->granted());
  EXPECT_THAT(Call(&StepStore::Finish, "execution_id: 2 token: 1 state: FAILED")
                  .status(),
              IsOk());
  EXPECT_TRUE(StartWork(1, 1)->granted());
  EXPECT_THAT(Prepare(1), IsOk());
  EXPECT_THAT(Publish(1), IsOk());
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_TRUE(StartWork(2, 2)->granted());
}

TEST_P(StepStoreTest, WorkIsFreeOnceTheLeaseOfItsWorkerEnded) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_TRUE(StartWork(1, 1)->granted());
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_FALSE(StartWork(2, 1)->granted());
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(StartWork(2, 1)->granted());
}

TEST_P(StepStoreTest, ANewAttemptDoesNotInheritTheWorkOfTheOneBefore) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_TRUE(StartWork(1, 1)->granted());
  clock_.Advance(absl::Seconds(60));
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_TRUE(StartWork(2, 1)->granted());
  EXPECT_FALSE(StartWork(1, 2)->granted());
}

TEST_P(StepStoreTest, WorkIsGivenOnlyToTheHolderOfTheClaim) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(StartWork(1, 1, ""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(StartWork(9, 1), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(StartWork(1, 7), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Finish(1, "state: CANCELED"), IsOk());
  EXPECT_THAT(StartWork(1, 1), StatusIs(StatusCode::kAborted));
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

TEST_P(StepStoreTest, AFailuresReasonIsOfItsAttemptOnly) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Finish(1,
                     "state: FAILED failure_reason: 'DISK_FULL' reason: 'no "
                     "room' custom_properties { key: 'exit_code' value { "
                     "int_value: 3 } }"),
              IsOk());
  const auto failed = GetExecution(1).custom_properties();
  EXPECT_EQ(failed.at("failure_reason").string_value(), "DISK_FULL");
  EXPECT_EQ(Attempts()[0]["failure_reason"], "DISK_FULL");

  EXPECT_THAT(Claim(), IsOk());
  const auto reopened = GetExecution(1).custom_properties();
  EXPECT_FALSE(reopened.contains("failure_reason"));
  EXPECT_FALSE(reopened.contains("exit_code"));
  EXPECT_EQ(Attempts()[0]["failure_reason"], "DISK_FULL");
  EXPECT_FALSE(Attempts()[1].contains("failure_reason"));
}

TEST_P(StepStoreTest, AClaimSaysWhichStoreItIsFrom) {
  RK_ASSERT_OK_AND_ASSIGN(const v1::IdentifyResponse identity,
                          Call(&StepStore::Identify, ""));
  EXPECT_THAT(identity.store_id(), ::testing::MatchesRegex("[a-z0-9]{10}"));
  RK_ASSERT_OK_AND_ASSIGN(const v1::ClaimResponse claim, Claim());
  EXPECT_EQ(claim.store_id(), identity.store_id());
  EXPECT_EQ(Attempts()[0]["store_id"], identity.store_id());
}

TEST_P(StepStoreTest, AnAttemptThatVanishedIsToldOfByTheNext) {
  EXPECT_THAT(Claim("node_dir: '/root/p/trainer'"), IsOk());
  EXPECT_EQ(Attempts()[0]["node_dir"], "/root/p/trainer");
  clock_.Advance(absl::Seconds(60));
  EXPECT_THAT(Claim("previous_failure_reason: 'OUT_OF_MEMORY' "
                    "previous_failure: 'OOMKilled'"),
              IsOk());
  EXPECT_EQ(Attempts()[0]["state"], "LOST");
  EXPECT_EQ(Attempts()[0]["failure_reason"], "OUT_OF_MEMORY");
  EXPECT_EQ(Attempts()[0]["reason"], "OOMKilled");

  clock_.Advance(absl::Seconds(60));
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_EQ(Attempts()[1]["failure_reason"], "LAUNCHER_LOST");
}

TEST_P(StepStoreTest, WhatIsSaidOfAnAttemptThatEndedIsNotBelieved) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Finish(1, "state: FAILED failure_reason: 'DISK_FULL'"), IsOk());
  EXPECT_THAT(Claim("previous_failure_reason: 'OUT_OF_MEMORY' "
                    "previous_failure: 'OOMKilled'"),
              IsOk());
  EXPECT_EQ(Attempts()[0]["failure_reason"], "DISK_FULL");
}

TEST_P(StepStoreTest, AClockSetBackKeepsNoDeadClaimAlive) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(-absl::Minutes(10));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition,
                                HasSubstr("its lease ends in 1m")));
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition,
                                HasSubstr("its lease ends in 1s")))
      << "it was cut once, by the claim that saw it";
  clock_.Advance(absl::Seconds(1));
  RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
  EXPECT_EQ(claim.token(), 2);
}

TEST_P(StepStoreTest, AClockSetBackTakesNoClaimFromTheLiving) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(-absl::Minutes(10));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition));
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(
      Call(&StepStore::Renew, "execution_id: 1 token: 1 lease_millis: 60000"),
      IsOk());
  clock_.Advance(absl::Seconds(59));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_P(StepStoreTest, AClockSetBackKeepsNoDeadWorkerAtWork) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_TRUE(StartWork(1, 1)->granted());
  clock_.Advance(-absl::Minutes(10));
  EXPECT_THAT(ClaimAnother(), IsOk());
  EXPECT_FALSE(StartWork(2, 1)->granted());
  clock_.Advance(absl::Seconds(60));
  EXPECT_TRUE(StartWork(2, 1)->granted());
}

TEST_P(StepStoreTest, AClockSetBackKeepsNoDeadClaimFromBeingClosed) {
  for (const char* close : {"state: FAILED if_abandoned: true dry_run: true",
                            "state: FAILED if_abandoned: true"}) {
    RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
    clock_.Advance(-absl::Minutes(10));
    EXPECT_THAT(Finish(claim.token(), close),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("its lease ends in 1m")));
    clock_.Advance(absl::Seconds(59));
    EXPECT_THAT(Finish(claim.token(), close),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("its lease ends in 1s")));
    clock_.Advance(absl::Seconds(1));
    EXPECT_THAT(Finish(claim.token(), close), IsOk()) << close;
  }
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::FAILED);
}

TEST_P(StepStoreTest, ALeaseOfUnknownLengthIsNoLongerThanAnyMayBe) {
  EXPECT_THAT(Claim(), IsOk());
  // Another writer has overwritten what is known of the attempts.
  Execution execution = GetExecution(1);
  (*execution.mutable_custom_properties())["attempts"].set_string_value("?");
  ml_metadata::PutExecutionsRequest put;
  *put.add_executions() = execution;
  EXPECT_THAT(metadata().PutExecutions(put), IsOk());
  clock_.Advance(-absl::Hours(24 * 365));
  EXPECT_THAT(Claim(), StatusIs(StatusCode::kFailedPrecondition,
                                HasSubstr("its lease ends in 720h")));
  clock_.Advance(absl::Hours(720));
  EXPECT_THAT(Claim(), IsOk());
}

TEST_P(StepStoreTest, AClockSetForwardLetsNoTwoPublish) {
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(absl::Hours(24));
  EXPECT_THAT(Claim(), IsOk());
  clock_.Advance(-absl::Hours(24));
  EXPECT_THAT(Prepare(1), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Publish(1), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Prepare(2), IsOk());
  EXPECT_THAT(Publish(2), IsOk());
}

TEST_P(StepStoreTest, OnlyWhatIsAbandonedIsClosedByOthers) {
  constexpr char kClose[] = "state: FAILED if_abandoned: true ";
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Finish(1, kClose), StatusIs(StatusCode::kFailedPrecondition));
  clock_.Advance(absl::Seconds(60));
  EXPECT_THAT(Finish(0, kClose), StatusIs(StatusCode::kAborted));
  EXPECT_THAT(Finish(1, absl::StrCat(kClose, "dry_run: true")), IsOk());
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::RUNNING);

  EXPECT_THAT(Finish(1, absl::StrCat(kClose, "failure_reason: 'LOST'")),
              IsOk());
  EXPECT_EQ(GetExecution(1).last_known_state(), Execution::FAILED);
  EXPECT_THAT(Publish(1), StatusIs(StatusCode::kAborted))
      << "whoever it was can no longer publish";
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

TEST_P(StepStoreTest, WhatWasPreparedIsSaidToBeForTheSameWorkOnlyIfItIs) {
  RK_ASSERT_OK_AND_ASSIGN(const auto first, Claim("work_key: 'a'"));
  EXPECT_FALSE(first.prepared_is_same_work());
  ASSERT_THAT(Prepare(first.token()), IsOk());
  clock_.Advance(absl::Minutes(2));
  RK_ASSERT_OK_AND_ASSIGN(const auto other, Claim("work_key: 'b'"));
  EXPECT_THAT(other.prepared(), SizeIs(1));
  EXPECT_FALSE(other.prepared_is_same_work());
  clock_.Advance(absl::Minutes(2));
  RK_ASSERT_OK_AND_ASSIGN(const auto unknown, Claim());
  EXPECT_FALSE(unknown.prepared_is_same_work());
  clock_.Advance(absl::Minutes(2));
  RK_ASSERT_OK_AND_ASSIGN(const auto same, Claim("work_key: 'a'"));
  EXPECT_TRUE(same.prepared_is_same_work());
}

TEST_P(StepStoreTest, AReopenedExecutionIsInTheCacheUnderItsLastKeyOnly) {
  const auto claim = [this](const std::string& key) {
    return Claim(absl::StrCat(
        "contexts { type { name: 'execution_cache' } name: '", key,
        "' parent_index: -1 outputs_only: true } work_key: '", key, "'"));
  };
  ASSERT_THAT(claim("a"), IsOk());
  clock_.Advance(absl::Minutes(2));
  ASSERT_THAT(claim("b"), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto contexts,
      Call(&MetadataStore::GetContextsByExecution, "execution_id: 1"));
  EXPECT_THAT(contexts.contexts(),
              ElementsAre(LooksLike("name: 'penguin'"),
                          LooksLike("name: 'run-1'"), LooksLike("name: 'b'")));
}

TEST_P(StepStoreTest, ARunOfAnotherPipelineIsRefused) {
  ASSERT_THAT(Claim(), IsOk());
  EXPECT_THAT(
      Call(&StepStore::Claim,
           "external_id: 'run-1/other' execution_type { name: 'x' } "
           "contexts { type { name: 'pipeline' } name: 'whale' parent_index: "
           "-1 } contexts { type { name: 'pipeline_run' } name: 'run-1' "
           "parent_index: 0 } lease_millis: 1 owner: 'pod-b'"),
      StatusIs(StatusCode::kAlreadyExists,
               HasSubstr("belongs to pipeline 'penguin', not to 'whale'")));
  RK_ASSERT_OK_AND_ASSIGN(const auto contexts,
                          Call(&MetadataStore::GetContexts, ""));
  EXPECT_THAT(contexts.contexts(), SizeIs(2)) << "nothing was written";
}

TEST_P(StepStoreTest, FinishingTakesOnlyFailedOrCanceled) {
  EXPECT_THAT(Claim(), IsOk());
  EXPECT_THAT(Finish(1, ""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(
      Call(&StepStore::Finish, "execution_id: 9 token: 1 state: FAILED"),
      StatusIs(StatusCode::kNotFound));
}

// --- verify -----------------------------------------------------------------

TEST_P(StepStoreTest, NothingIsWrongWithAStoreThatIsOnlyUsed) {
  PutArtifact();
  RK_ASSERT_OK_AND_ASSIGN(
      const auto claim,
      Claim("inputs { key: 'examples' index: 0 artifact_id: 1 }"));
  EXPECT_THAT(Prepare(claim.token()), IsOk());
  EXPECT_THAT(Publish(claim.token()), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto verdict, Call(&StepStore::Verify, ""));
  EXPECT_THAT(verdict.problems(), IsEmpty());
}

TEST_P(StepStoreTest, AnExecutionWhoseOwnerDiedIsFound) {
  EXPECT_THAT(Claim(), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto while_alive, Call(&StepStore::Verify, ""));
  EXPECT_THAT(while_alive.problems(), IsEmpty());
  clock_.Advance(absl::Milliseconds(60'000));
  RK_ASSERT_OK_AND_ASSIGN(const auto after, Call(&StepStore::Verify, ""));
  EXPECT_THAT(after.problems(),
              ElementsAre(LooksLike("kind: LEFT_RUNNING id: 1")));
}

TEST_P(StepStoreTest, ARunningExecutionOfAnotherWriterIsTheirs) {
  PutExecution("last_known_state: RUNNING");
  RK_ASSERT_OK_AND_ASSIGN(const auto verdict, Call(&StepStore::Verify, ""));
  EXPECT_THAT(verdict.problems(), IsEmpty());
}

TEST_P(StepStoreTest, ProblemsAreListedAsFarAsAsked) {
  for (const std::string run : {"a", "b", "c"}) {
    EXPECT_THAT(
        Call(&StepStore::Claim, absl::StrCat("external_id: '", run,
                                             "' execution_type { name: 'T' } "
                                             "lease_millis: 1")),
        IsOk());
  }
  clock_.Advance(absl::Seconds(1));
  RK_ASSERT_OK_AND_ASSIGN(const auto two,
                          Call(&StepStore::Verify, "max_problems: 2"));
  EXPECT_THAT(two.problems(), SizeIs(2));
  EXPECT_TRUE(two.truncated());
  RK_ASSERT_OK_AND_ASSIGN(const auto three,
                          Call(&StepStore::Verify, "max_problems: 3"));
  EXPECT_FALSE(three.truncated());
  EXPECT_THAT(Call(&StepStore::Verify, "max_problems: -1"),
              StatusIs(StatusCode::kInvalidArgument));
}

// --- delete -----------------------------------------------------------------

// examples 1 -> execution 1 -> model 2, all in context 1, which is in
// context 2.
class DeleteTest : public StepStoreTest {
 protected:
  void SetUp() override {
    StepStoreTest::SetUp();
    PutArtifact("properties { key: 'day' value { int_value: 1 } }");
    PutArtifact();
    PutExecution("properties { key: 'steps' value { int_value: 9 } }");
    PutContext("name: 'run'");
    PutContext("name: 'pipeline'");
    ASSERT_THAT(Call(&MetadataStore::PutEvents,
                     "events { artifact_id: 1 execution_id: 1 type: INPUT "
                     "  path { steps { key: 'examples' } } } "
                     "events { artifact_id: 2 execution_id: 1 type: OUTPUT }"),
                IsOk());
    ASSERT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations,
                     "attributions { artifact_id: 1 context_id: 1 } "
                     "attributions { artifact_id: 2 context_id: 1 } "
                     "associations { execution_id: 1 context_id: 1 }"),
                IsOk());
    ASSERT_THAT(Call(&MetadataStore::PutParentContexts,
                     "parent_contexts { child_id: 1 parent_id: 2 }"),
                IsOk());
  }

  absl::StatusOr<v1::DeleteResponse> Delete(const std::string& request) {
    return Call(&StepStore::Delete, request);
  }

  // Whether the store holds as many nodes as were put.
  void ExpectAllThere() {
    EXPECT_THAT(Call(&MetadataStore::GetArtifacts, "")->artifacts(), SizeIs(2));
    EXPECT_THAT(Call(&MetadataStore::GetExecutions, "")->executions(),
                SizeIs(1));
    EXPECT_THAT(Call(&MetadataStore::GetContexts, "")->contexts(), SizeIs(2));
    EXPECT_THAT(
        Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1")
            ->events(),
        SizeIs(2));
  }
  void ExpectHealthy() {
    EXPECT_THAT(Call(&StepStore::Verify, "")->problems(), IsEmpty());
  }
};

constexpr char kEverything[] =
    "artifact_ids: [ 1, 2 ] execution_ids: 1 context_ids: [ 1, 2 ]";
constexpr char kGone[] =
    "artifacts: 2 executions: 1 contexts: 2 properties: 2 events: 2 "
    "attributions: 2 associations: 1 parent_contexts: 1";

TEST_P(DeleteTest, AWholeGraphGoesWithAllThatBelongsToIt) {
  RK_ASSERT_OK_AND_ASSIGN(const auto gone, Delete(kEverything));
  EXPECT_THAT(gone, LooksLike(kGone));
  EXPECT_THAT(Call(&MetadataStore::GetArtifacts, "")->artifacts(), IsEmpty());
  EXPECT_THAT(Call(&MetadataStore::GetExecutions, "")->executions(), IsEmpty());
  EXPECT_THAT(Call(&MetadataStore::GetContexts, "")->contexts(), IsEmpty());
  ExpectHealthy();
}

TEST_P(DeleteTest, ADryRunAnswersTheSameAndKeepsEverything) {
  RK_ASSERT_OK_AND_ASSIGN(const auto gone,
                          Delete(absl::StrCat(kEverything, " dry_run: true")));
  EXPECT_THAT(gone, LooksLike(kGone));
  ExpectAllThere();
}

TEST_P(DeleteTest, AnArtifactThatAnExecutionUsedOrMadeStays) {
  EXPECT_THAT(Delete("artifact_ids: 2"),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("execution 1 used or made artifact 2")));
  EXPECT_THAT(Delete("artifact_ids: 2 dry_run: true"),
              StatusIs(StatusCode::kFailedPrecondition));
  ExpectAllThere();
  RK_ASSERT_OK_AND_ASSIGN(const auto gone,
                          Delete("artifact_ids: 2 break_lineage: true"));
  EXPECT_THAT(gone, LooksLike("artifacts: 1 events: 1 attributions: 1"));
  ExpectHealthy();
}

TEST_P(DeleteTest, AnExecutionGoesWithItsEvents) {
  RK_ASSERT_OK_AND_ASSIGN(const auto gone, Delete("execution_ids: 1"));
  EXPECT_THAT(gone, LooksLike("executions: 1 properties: 1 events: 2 "
                              "associations: 1"));
  EXPECT_THAT(
      Call(&MetadataStore::GetEventsByArtifactIDs, "artifact_ids: [ 1, 2 ]")
          ->events(),
      IsEmpty());
  ExpectHealthy();
}

TEST_P(DeleteTest, AContextWithMembersOrChildrenStays) {
  EXPECT_THAT(
      Delete("context_ids: 1"),
      StatusIs(StatusCode::kFailedPrecondition,
               ::testing::AllOf(HasSubstr("artifact 1 is in context 1"),
                                HasSubstr("execution 1 is in context 1"))));
  EXPECT_THAT(Delete("context_ids: 2"),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("context 1 is below context 2")));
  ExpectAllThere();
  RK_ASSERT_OK_AND_ASSIGN(const auto gone,
                          Delete("context_ids: [ 1, 2 ] break_lineage: true"));
  EXPECT_THAT(gone, LooksLike("contexts: 2 attributions: 2 associations: 1 "
                              "parent_contexts: 1"));
  ExpectHealthy();
}

TEST_P(DeleteTest, WhatIsNotStoredIsNamedAndNothingGoes) {
  EXPECT_THAT(
      Delete("artifact_ids: [ 1, 7 ] execution_ids: [ 1, 8 ] context_ids: 9"),
      StatusIs(StatusCode::kNotFound,
               HasSubstr("artifact 7, context 9, execution 8")));
  ExpectAllThere();
}

TEST_P(DeleteTest, NothingNamedIsAMistake) {
  EXPECT_THAT(Delete("break_lineage: true"),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST_P(DeleteTest, AnExecutionThatIsBeingRunStaysWhateverIsAsked) {
  RK_ASSERT_OK_AND_ASSIGN(const auto claim, Claim());
  const std::string request = absl::StrCat(
      "execution_ids: ", claim.execution_id(), " break_lineage: true");
  EXPECT_THAT(Delete(request), StatusIs(StatusCode::kFailedPrecondition,
                                        HasSubstr("execution 2 is being run")));
  clock_.Advance(absl::Minutes(1));
  RK_ASSERT_OK_AND_ASSIGN(const auto gone, Delete(request));
  EXPECT_THAT(gone, LooksLike("executions: 1 leases: 1"));
  ExpectHealthy();
}

TEST_P(DeleteTest, AnIdIsNotGivenAgain) {
  EXPECT_THAT(Delete(kEverything), IsOk());
  EXPECT_EQ(PutArtifact(), 3);
}

RK_FOR_ALL_STORES(DeleteTest);
RK_FOR_ALL_STORES(StepStoreTest);

}  // namespace
}  // namespace rekindle
