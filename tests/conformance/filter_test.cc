#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three artifacts, two executions and three contexts that differ in every field
// a filter can name:
//
//   artifact 1  'one', LIVE, day 1, ratio 0.5, in contexts c1 and c2
//   artifact 2  'two', PENDING, day 2, split 'test', in context c2
//   artifact 3  no name, no state, final false, in no context
class FilterTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    PutArtifact(R"(name: 'one' uri: 'U/1' state: LIVE external_id: 'x1'
        properties { key: 'day' value { int_value: 1 } }
        properties { key: 'ratio' value { double_value: 0.5 } })");
    PutArtifact(R"(name: 'two' uri: 'u/2' state: PENDING
        properties { key: 'day' value { int_value: 2 } }
        properties { key: 'split' value { string_value: 'test' } }
        custom_properties { key: 'my:custom.property'
                            value { bool_value: true } })");
    clock_.Advance(absl::Seconds(1));
    PutArtifact(R"(uri: 'u_3' properties { key: 'final'
                                           value { bool_value: false } })");
    PutExecution("last_known_state: RUNNING");
    PutExecution("name: 'e2' last_known_state: COMPLETE external_id: 'x2'");
    for (const char* name : {"c1", "c2", "c3"}) {
      PutContext(absl::StrCat("name: '", name, "'"));
    }
    EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations,
                     "attributions { artifact_id: 1 context_id: 1 } "
                     "attributions { artifact_id: 1 context_id: 2 } "
                     "attributions { artifact_id: 2 context_id: 2 } "
                     "associations { execution_id: 1 context_id: 1 } "
                     "associations { execution_id: 2 context_id: 1 }"),
                IsOk());
    EXPECT_THAT(Call(&MetadataStore::PutEvents,
                     "events { artifact_id: 1 execution_id: 1 type: INPUT } "
                     "events { artifact_id: 2 execution_id: 1 type: OUTPUT } "
                     "events { artifact_id: 1 execution_id: 2 "
                     "         type: PENDING_OUTPUT }"),
                IsOk());
    EXPECT_THAT(Call(&MetadataStore::PutParentContexts,
                     "parent_contexts { child_id: 1 parent_id: 2 }"),
                IsOk());
  }

  static std::string Options(const std::string& filter) {
    return absl::StrCat("options { filter_query: \"", absl::CEscape(filter),
                        "\" }");
  }
  // Ids of the nodes that pass.
  std::vector<int64_t> Artifacts(const std::string& filter) {
    return Ids(Call(&MetadataStore::GetArtifacts, Options(filter)),
               [](const auto& response) { return response.artifacts(); });
  }
  std::vector<int64_t> Executions(const std::string& filter) {
    return Ids(Call(&MetadataStore::GetExecutions, Options(filter)),
               [](const auto& response) { return response.executions(); });
  }
  std::vector<int64_t> Contexts(const std::string& filter) {
    return Ids(Call(&MetadataStore::GetContexts, Options(filter)),
               [](const auto& response) { return response.contexts(); });
  }
  absl::Status Refused(const std::string& filter) {
    return Call(&MetadataStore::GetArtifacts, Options(filter)).status();
  }

 private:
  template <typename Response, typename Nodes>
  static std::vector<int64_t> Ids(const absl::StatusOr<Response>& response,
                                  Nodes nodes) {
    EXPECT_THAT(response, IsOk());
    std::vector<int64_t> ids;
    if (!response.ok()) return ids;
    for (const auto& node : nodes(*response)) ids.push_back(node.id());
    return ids;
  }
};

TEST_P(FilterTest, ComparesNumbers) {
  EXPECT_THAT(Artifacts("id = 2"), ElementsAre(2));
  EXPECT_THAT(Artifacts("2 = ID"), ElementsAre(2));
  EXPECT_THAT(Artifacts("id != 2"), ElementsAre(1, 3));
  EXPECT_THAT(Artifacts("id <> 2"), ElementsAre(1, 3));
  EXPECT_THAT(Artifacts("id >= 2 AND id < 3.5"), ElementsAre(2, 3));
  EXPECT_THAT(Artifacts("id BETWEEN 1 AND 2"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("id NOT BETWEEN 1 AND 2"), ElementsAre(3));
  EXPECT_THAT(Artifacts("id > -1 AND id < 0x3"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("create_time_since_epoch > 1000000"), ElementsAre(3));
  EXPECT_THAT(
      Artifacts("create_time_since_epoch = last_update_time_since_epoch"),
      ElementsAre(1, 2, 3));
}

TEST_P(FilterTest, ComparesStrings) {
  EXPECT_THAT(Artifacts("name = 'one'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("name = \"one\""), ElementsAre(1));
  EXPECT_THAT(Artifacts("name = r'one'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("name = '\\x6fne'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("name != 'one'"), ElementsAre(2));
  EXPECT_THAT(Artifacts("name LIKE 't%'"), ElementsAre(2));
  EXPECT_THAT(Artifacts("name NOT LIKE 't%'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("external_id = 'x1'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("uri IN ('u/2', 'u_3')"), ElementsAre(2, 3));
}

TEST_P(FilterTest, WhatAUserWritesIsNeverSql) {
  EXPECT_THAT(Artifacts("name = 'x\\' OR 1=1 --'"), IsEmpty());
  EXPECT_THAT(Artifacts("custom_properties.`a' OR 1=1 --`.int_value = 1"),
              IsEmpty());
}

TEST_P(FilterTest, CombinesConditions) {
  EXPECT_THAT(Artifacts("id = 1 OR id = 2 AND name = 'one'"), ElementsAre(1));
  EXPECT_THAT(Artifacts("(id = 1 OR id = 2) AND NOT name = 'one'"),
              ElementsAre(2));
  EXPECT_THAT(Artifacts("NOT NOT id = 1"), ElementsAre(1));
  EXPECT_THAT(Artifacts("NOT(id < 2 OR id < 3)"), ElementsAre(3));
  EXPECT_THAT(Artifacts("(id = 1) = true"), ElementsAre(1));
  EXPECT_THAT(Artifacts("TRUE"), ElementsAre(1, 2, 3));
  EXPECT_THAT(Artifacts("id = 1 -- the first\n OR id = 3 /* the last */"),
              ElementsAre(1, 3));
}

TEST_P(FilterTest, KnowsWhatIsNotSet) {
  EXPECT_THAT(Artifacts("name IS NULL"), ElementsAre(3));
  EXPECT_THAT(Artifacts("name IS NOT NULL"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("id IN (1, NULL)"), ElementsAre(1));
}

TEST_P(FilterTest, ComparesStatesByName) {
  EXPECT_THAT(Artifacts("state = LIVE"), ElementsAre(1));
  EXPECT_THAT(Artifacts("LIVE = state"), ElementsAre(1));
  EXPECT_THAT(Artifacts("state IN (LIVE, PENDING, 2)"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("state != LIVE"), ElementsAre(2, 3));
  EXPECT_THAT(Artifacts("state NOT IN (LIVE)"), ElementsAre(2, 3));
  EXPECT_THAT(Artifacts("NOT (state = LIVE)"), ElementsAre(2));
  EXPECT_THAT(Artifacts("state IN (ABANDONED, REFERENCE)"), IsEmpty());
  EXPECT_THAT(Executions("last_known_state = RUNNING"), ElementsAre(1));
  EXPECT_THAT(Executions("last_known_state != RUNNING"), ElementsAre(2));
}

TEST_P(FilterTest, FindsByType) {
  EXPECT_THAT(Artifacts("type = 'DataSet' AND id < 3"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("type != 'DataSet'"), IsEmpty());
  EXPECT_THAT(Artifacts(absl::StrCat("type_id = ", dataset_)),
              ElementsAre(1, 2, 3));
}

TEST_P(FilterTest, FindsByProperties) {
  EXPECT_THAT(Artifacts("properties.day.int_value = 1"), ElementsAre(1));
  EXPECT_THAT(Artifacts("properties.ratio.double_value > 0"), ElementsAre(1));
  EXPECT_THAT(Artifacts("properties.split.string_value LIKE 'te%'"),
              ElementsAre(2));
  EXPECT_THAT(Artifacts("properties.final.bool_value = false"), ElementsAre(3));
  EXPECT_THAT(Artifacts("NOT properties.final.bool_value"), ElementsAre(3));
  EXPECT_THAT(Artifacts("properties.final.bool_value IS FALSE"),
              ElementsAre(3));
  EXPECT_THAT(
      Artifacts("custom_properties.`my:custom.property`.bool_value = true"),
      ElementsAre(2));
  EXPECT_THAT(Artifacts("custom_properties.2020.int_value = 1"), IsEmpty());
}

TEST_P(FilterTest, AnOrOverTwoPropertiesDropsNothing) {
  EXPECT_THAT(Artifacts("properties.day.int_value = 1 OR "
                        "properties.split.string_value = 'test'"),
              ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("properties.day.int_value IS NULL"), ElementsAre(3));
  EXPECT_THAT(Artifacts("contexts_a.name = 'c1' OR uri = 'u_3'"),
              ElementsAre(1, 3));
}

TEST_P(FilterTest, NotANumberIsGreaterThanNothing) {
  PutArtifact("custom_properties { key: 'loss' value { double_value: nan } }");
  EXPECT_THAT(Artifacts("custom_properties.loss.double_value > 0.1"),
              IsEmpty());
  EXPECT_THAT(Artifacts("0.1 <= custom_properties.loss.double_value"),
              IsEmpty());
}

TEST_P(FilterTest, FindsByContexts) {
  EXPECT_THAT(Artifacts("contexts_a.name = 'c2'"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("contexts_a.type = 'Run'"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("contexts_a.name = 'c1' AND contexts_b.name = 'c2'"),
              ElementsAre(1));
  EXPECT_THAT(Artifacts("contexts_a.name = 'c1' AND contexts_a.id = 2"),
              IsEmpty());
  EXPECT_THAT(Artifacts("contexts_a.name != 'c1'"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("contexts_a.id IS NULL"), ElementsAre(3));
  EXPECT_THAT(Executions("contexts_0.name = 'c1' AND contexts_0.id = 1"),
              ElementsAre(1, 2));
}

TEST_P(FilterTest, FindsByEvents) {
  EXPECT_THAT(Artifacts("events_0.type = INPUT"), ElementsAre(1));
  EXPECT_THAT(Artifacts("events_0.type IN (INPUT, OUTPUT)"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("events_0.type = PENDING_OUTPUT"), ElementsAre(1));
  EXPECT_THAT(Artifacts("events_0.type != INPUT"), ElementsAre(1, 2));
  EXPECT_THAT(Artifacts("events_0.execution_id = 1 AND "
                        "events_0.milliseconds_since_epoch > 0"),
              ElementsAre(1, 2));
  EXPECT_THAT(Executions("events_0.artifact_id = 1"), ElementsAre(1, 2));
}

TEST_P(FilterTest, FindsContextsByWhatTheyHold) {
  EXPECT_THAT(Contexts("artifacts_a.name = 'one'"), ElementsAre(1, 2));
  EXPECT_THAT(Contexts("artifacts_a.state = PENDING"), ElementsAre(2));
  EXPECT_THAT(Contexts("artifacts_a.external_id = 'x1'"), ElementsAre(1, 2));
  EXPECT_THAT(Contexts("artifacts_a.uri = 'u/2'"), ElementsAre(2));
  EXPECT_THAT(Contexts("executions_a.last_known_state = RUNNING"),
              ElementsAre(1));
  EXPECT_THAT(Contexts("executions_a.external_id = 'x2'"), ElementsAre(1));
  EXPECT_THAT(Contexts("parent_contexts_a.name = 'c2'"), ElementsAre(1));
  EXPECT_THAT(Contexts("child_contexts_a.create_time_since_epoch > 0"),
              ElementsAre(2));
}

TEST_P(FilterTest, NarrowsEveryKindOfListing) {
  RK_ASSERT_OK_AND_ASSIGN(
      const auto in_context,
      Call(&MetadataStore::GetArtifactsByContext,
           "context_id: 2 options { filter_query: 'state = LIVE' }"));
  EXPECT_THAT(in_context.artifacts(), ElementsAre(LooksLike("id: 1")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto of_type,
      Call(&MetadataStore::GetArtifactsByType,
           "type_name: 'DataSet' options { filter_query: 'state = LIVE' }"));
  EXPECT_THAT(of_type.artifacts(), ElementsAre(LooksLike("id: 1")));
}

TEST_P(FilterTest, PagesThroughWhatPasses) {
  const std::string filter =
      "filter_query: 'contexts_a.type = \"Run\"' max_result_size: 1 ";
  RK_ASSERT_OK_AND_ASSIGN(const auto first,
                          Call(&MetadataStore::GetArtifacts,
                               absl::StrCat("options { ", filter, " }")));
  EXPECT_THAT(first.artifacts(), ElementsAre(LooksLike("id: 1")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto second,
      Call(&MetadataStore::GetArtifacts,
           absl::StrCat("options { ", filter, "next_page_token: '",
                        first.next_page_token(), "' }")));
  EXPECT_THAT(second.artifacts(), ElementsAre(LooksLike("id: 2")));
  EXPECT_FALSE(second.has_next_page_token());
  EXPECT_THAT(Call(&MetadataStore::GetArtifacts,
                   absl::StrCat("options { filter_query: 'id = 1' "
                                "next_page_token: '",
                                first.next_page_token(), "' }")),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST_P(FilterTest, PointsAtWhatIsWrong) {
  EXPECT_THAT(Refused("id = 1 AND"), StatusIs(StatusCode::kInvalidArgument,
                                              AllOf(HasSubstr("character 11"),
                                                    HasSubstr("at its end"))));
  EXPECT_THAT(Refused("id = 1 AND bogus = 2"),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("character 12"),
                             HasSubstr("unknown name 'bogus'"))));
  EXPECT_THAT(Refused("state = live"),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("character 9"), HasSubstr("LIVE"))));
}

TEST_P(FilterTest, RefusesWhatHasNoMeaning) {
  for (const std::string filter : {"1",
                                   "id",
                                   "id = '1'",
                                   "name = 1",
                                   "id = NULL",
                                   "id IN ()",
                                   "id IN (1, 'a')",
                                   "name LIKE 3",
                                   "state = 'LIVE'",
                                   "state > PENDING",
                                   "properties.b = 1",
                                   "properties.b.bogus = 1",
                                   "contexts_a.bogus = 1",
                                   "contexts_.name = 'x'",
                                   "contexts.name = 'x'",
                                   "executions_a.id = 1",
                                   "last_known_state = RUNNING",
                                   "events_0.artifact_id = 1",
                                   "id == 1",
                                   "id = 1;",
                                   "id = 1 id = 2",
                                   "(id = 1",
                                   "! id = 1",
                                   "name = 'one",
                                   "name = 'it\\_s'",
                                   "bogus IN (LIVE, PENDING)",
                                   "id IN (bogus)",
                                   "id IS 1",
                                   "name IS TRUE",
                                   "id = 1 /* open",
                                   "name = `one`",
                                   "AND",
                                   "NOT",
                                   "id BETWEEN 1",
                                   "contexts_a.name = LIVE",
                                   "id = (SELECT 1)",
                                   "length(name) = 3",
                                   "id + 1 = 2"}) {
    EXPECT_THAT(Refused(filter), StatusIs(StatusCode::kInvalidArgument))
        << filter;
  }
}

TEST_P(FilterTest, RefusesWhatIsTooLarge) {
  EXPECT_THAT(Refused(std::string(1000, '(') + "id = 1"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("nested")));
  std::string many = "id = 0";
  for (int i = 0; i < 600; ++i) absl::StrAppend(&many, " OR id = ", i);
  EXPECT_THAT(Refused(many),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("500")));
  std::string wide = "id = 0";
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&wide, " OR contexts_", i, ".id = 1");
  }
  EXPECT_THAT(Refused(wide),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("50")));
}

RK_FOR_ALL_STORES(FilterTest);

}  // namespace
}  // namespace rekindle
