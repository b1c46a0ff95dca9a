#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EdgeCallsTest : public StoreTest {};

TEST_P(EdgeCallsTest, EventsKeepTheirPathAndTime) {
  PutArtifact();
  PutExecution();
  const std::string event =
      "artifact_id: 1 execution_id: 1 type: INPUT milliseconds_since_epoch: 7 "
      "path { steps { key: 'examples' } steps { index: 2 } }";
  EXPECT_THAT(Call(&MetadataStore::PutEvents, "events { " + event + " }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto by_execution,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1"));
  EXPECT_THAT(by_execution.events(), ElementsAre(LooksLike(event)));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto by_artifact,
      Call(&MetadataStore::GetEventsByArtifactIDs, "artifact_ids: 1"));
  EXPECT_THAT(by_artifact.events(), ElementsAre(LooksLike(event)));
}

TEST_P(EdgeCallsTest, EventsOfManyNodesComeInTheOrderStored) {
  PutExecution();
  for (int i = 0; i < 3; ++i) PutArtifact();
  for (const char* event : {"artifact_id: 3 path { steps { key: 'x' } }",
                            "artifact_id: 1 path { steps { key: 'y' } }",
                            "artifact_id: 2 path { steps { key: 'z' } }"}) {
    EXPECT_THAT(Call(&MetadataStore::PutEvents,
                     absl::StrCat("events { execution_id: 1 type: INPUT ",
                                  event, " }")),
                IsOk());
  }
  const auto keys_of = [this](const std::string& artifact_ids) {
    std::string keys;
    const auto found = Call(&MetadataStore::GetEventsByArtifactIDs,
                            absl::StrCat("artifact_ids: [", artifact_ids, "]"));
    for (const auto& event : found->events()) {
      keys += event.path().steps(0).key();
    }
    return keys;
  };
  EXPECT_EQ(keys_of("1, 2, 3"), "xyz");
  EXPECT_EQ(keys_of("3, 2, 2"), "xz");
  EXPECT_EQ(keys_of("1, 3, 99"), "xy");
  EXPECT_EQ(keys_of(""), "");
}

TEST_P(EdgeCallsTest, AnEventWithoutATimeHappensNow) {
  PutArtifact();
  PutExecution();
  EXPECT_THAT(Call(&MetadataStore::PutEvents,
                   "events { artifact_id: 1 execution_id: 1 type: OUTPUT }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto found,
      Call(&MetadataStore::GetEventsByArtifactIDs, "artifact_ids: 1"));
  EXPECT_EQ(found.events(0).milliseconds_since_epoch(), 1'000'000);
}

TEST_P(EdgeCallsTest, TwoNodesHaveOneEventOfAType) {
  PutArtifact();
  PutExecution();
  const std::string input =
      "events { artifact_id: 1 execution_id: 1 type: INPUT }";
  EXPECT_THAT(Call(&MetadataStore::PutEvents, input), IsOk());
  EXPECT_THAT(Call(&MetadataStore::PutEvents, input),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("INPUT")));
}

TEST_P(EdgeCallsTest, AnEventNeedsStoredNodesAndAType) {
  PutArtifact();
  PutExecution();
  for (const char* event :
       {"artifact_id: 1 execution_id: 1", "artifact_id: 1 type: INPUT",
        "execution_id: 1 type: INPUT",
        "artifact_id: 9 execution_id: 1 type: INPUT",
        "artifact_id: 1 execution_id: 9 type: INPUT"}) {
    EXPECT_THAT(
        Call(&MetadataStore::PutEvents, absl::StrCat("events { ", event, " }")),
        StatusIs(StatusCode::kInvalidArgument))
        << event;
  }
}

TEST_P(EdgeCallsTest, NodesBelongToContextsOnce) {
  PutArtifact();
  PutExecution();
  PutContext("name: 'c'");
  const std::string edges =
      "attributions { artifact_id: 1 context_id: 1 } "
      "associations { execution_id: 1 context_id: 1 }";
  EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations, edges),
              IsOk());
  EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations, edges),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto artifacts,
      Call(&MetadataStore::GetArtifactsByContext, "context_id: 1"));
  EXPECT_THAT(artifacts.artifacts(), SizeIs(1));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto executions,
      Call(&MetadataStore::GetExecutionsByContext, "context_id: 1"));
  EXPECT_THAT(executions.executions(), SizeIs(1));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto contexts,
      Call(&MetadataStore::GetContextsByArtifact, "artifact_id: 1"));
  EXPECT_THAT(contexts.contexts(), ElementsAre(LooksLike("name: 'c'")));
}

TEST_P(EdgeCallsTest, MembershipNeedsStoredNodes) {
  PutContext("name: 'c'");
  EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations,
                   "attributions { artifact_id: 9 context_id: 1 }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("artifact")));
  EXPECT_THAT(Call(&MetadataStore::GetContextsByExecution, "execution_id: 9"),
              StatusIs(StatusCode::kNotFound));
}

TEST_P(EdgeCallsTest, ContextsHaveParentsAndChildren) {
  PutContext("name: 'pipeline'");
  PutContext("name: 'run'");
  EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                   "parent_contexts { child_id: 2 parent_id: 1 }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto parents,
      Call(&MetadataStore::GetParentContextsByContext, "context_id: 2"));
  EXPECT_THAT(parents.contexts(), ElementsAre(LooksLike("name: 'pipeline'")));
  RK_ASSERT_OK_AND_ASSIGN(const auto children,
                          Call(&MetadataStore::GetChildrenContextsByContexts,
                               "context_ids: 1 context_ids: 2"));
  ASSERT_EQ(children.contexts().size(), 1);
  EXPECT_THAT(children.contexts().at(1).children_contexts(),
              ElementsAre(LooksLike("name: 'run'")));
}

TEST_P(EdgeCallsTest, ContextsFormNoCycle) {
  for (const char* name : {"name: 'a'", "name: 'b'", "name: 'c'"}) {
    PutContext(name);
  }
  EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                   "parent_contexts { child_id: 1 parent_id: 2 } "
                   "parent_contexts { child_id: 2 parent_id: 3 }"),
              IsOk());
  EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                   "parent_contexts { child_id: 3 parent_id: 1 }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("cycle")));
  EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                   "parent_contexts { child_id: 1 parent_id: 1 }"),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                   "parent_contexts { child_id: 1 parent_id: 2 }"),
              StatusIs(StatusCode::kAlreadyExists));
}

TEST_P(EdgeCallsTest, PutExecutionRecordsEverythingAtOnce) {
  const int64_t input = PutArtifact("name: 'in'");
  RK_ASSERT_OK_AND_ASSIGN(
      const auto put,
      Call(&MetadataStore::PutExecution,
           absl::StrCat("execution { type_id: $1 last_known_state: COMPLETE } "
                        "artifact_event_pairs { event { artifact_id: ",
                        input,
                        " type: INPUT } } "
                        "artifact_event_pairs { artifact { type_id: $0 name: "
                        "'out' } event { type: OUTPUT } } "
                        "contexts { type_id: $2 name: 'run' }")));
  EXPECT_THAT(put, LooksLike("execution_id: 1 artifact_ids: 1 artifact_ids: 2 "
                             "context_ids: 1"));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 1"));
  EXPECT_THAT(events.events(),
              ElementsAre(LooksLike("type: INPUT"), LooksLike("type: OUTPUT")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto members,
      Call(&MetadataStore::GetArtifactsByContext, "context_id: 1"));
  EXPECT_THAT(members.artifacts(), SizeIs(2));
}

TEST_P(EdgeCallsTest, PutExecutionReusesContextsAndArtifactsIfAsked) {
  PutContext("name: 'run'");
  PutArtifact("external_id: 'x'");
  const std::string request =
      "execution { type_id: $1 } artifact_event_pairs { artifact { type_id: $0 "
      "external_id: 'x' uri: 'new' } } contexts { type_id: $2 name: 'run' } ";
  EXPECT_THAT(Call(&MetadataStore::PutExecution, request),
              StatusIs(StatusCode::kAlreadyExists));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto put,
      Call(&MetadataStore::PutExecution,
           request + "options { reuse_context_if_already_exist: true "
                     "reuse_artifact_if_already_exist_by_external_id: true }"));
  EXPECT_THAT(put, LooksLike("artifact_ids: 1 context_ids: 1"));
  EXPECT_EQ(GetArtifact(1).uri(), "new");
}

TEST_P(EdgeCallsTest, PutExecutionRefusesEventsOfOthers) {
  PutArtifact();
  PutExecution();
  for (const char* pairs :
       {"event { type: INPUT }", "event { artifact_id: 9 type: INPUT }",
        "event { artifact_id: 1 execution_id: 9 type: INPUT }",
        "artifact { type_id: $0 } event { artifact_id: 1 type: INPUT }"}) {
    EXPECT_THAT(Call(&MetadataStore::PutExecution,
                     absl::StrCat("execution { type_id: $1 } "
                                  "artifact_event_pairs { ",
                                  pairs, " }")),
                StatusIs(StatusCode::kInvalidArgument))
        << pairs;
  }
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetExecutions, ""));
  EXPECT_THAT(all.executions(), SizeIs(1));
}

TEST_P(EdgeCallsTest, ForceUpdateTimeMovesTheTimeOfAnUnchangedExecution) {
  PutExecution("name: 'e'");
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Call(&MetadataStore::PutExecution,
                   "execution { id: 1 } options { force_update_time: true }"),
              IsOk());
  EXPECT_EQ(GetExecution(1).last_update_time_since_epoch(), 1'001'000);
}

TEST_P(EdgeCallsTest, PutLineageSubgraphJoinsNodesByIndex) {
  PutArtifact("name: 'stored'");
  RK_ASSERT_OK_AND_ASSIGN(const auto put,
                          Call(&MetadataStore::PutLineageSubgraph, R"(
      executions { type_id: $1 name: 'e0' }
      executions { type_id: $1 name: 'e1' }
      artifacts { type_id: $0 name: 'a0' }
      contexts { type_id: $2 name: 'run' }
      event_edges { execution_index: 0 artifact_index: 0
                    event { type: OUTPUT } }
      event_edges { execution_index: 1 artifact_index: 0
                    event { type: INPUT } }
      event_edges { execution_index: 1
                    event { artifact_id: 1 type: INPUT } })"));
  EXPECT_THAT(put, LooksLike("execution_ids: 1 execution_ids: 2 artifact_ids: "
                             "2 context_ids: 1"));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto events,
      Call(&MetadataStore::GetEventsByExecutionIDs, "execution_ids: 2"));
  EXPECT_THAT(events.events(), ElementsAre(LooksLike("artifact_id: 2"),
                                           LooksLike("artifact_id: 1")));
}

TEST_P(EdgeCallsTest, PutLineageSubgraphRefusesWrongIndexes) {
  EXPECT_THAT(Call(&MetadataStore::PutLineageSubgraph,
                   "executions { type_id: $1 } event_edges { execution_index: "
                   "0 artifact_index: 3 event { type: INPUT } }"),
              StatusIs(StatusCode::kOutOfRange, HasSubstr("3")));
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetExecutions, ""));
  EXPECT_THAT(all.executions(), IsEmpty());
}

RK_FOR_ALL_STORES(EdgeCallsTest);

}  // namespace
}  // namespace rekindle
