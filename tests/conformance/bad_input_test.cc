// What is wrong with a request is said with ML Metadata's code and a sentence
// that names the thing, and nothing of the request is kept.
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::HasSubstr;

struct BadInput {
  std::string what;
  std::function<absl::Status()> call;
  StatusCode code;
  std::vector<std::string> named;  // what the message must say
};

class BadInputTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    artifact_ = PutArtifact("name: 'a' external_id: 'x'");
    execution_ = PutExecution("name: 'e'");
    context_ = PutContext("name: 'c'");
    child_ = PutContext("name: 'd'");
    Ok(&MetadataStore::PutParentContexts,
       absl::StrCat("parent_contexts { child_id: ", child_,
                    " parent_id: ", context_, " }"));
    Ok(&MetadataStore::PutEvents,
       absl::StrCat("events { artifact_id: ", artifact_,
                    " execution_id: ", execution_, " type: INPUT }"));
  }

  template <typename Method>
  void Ok(Method method, const std::string& text) {
    ASSERT_THAT(Call(method, text), IsOk()) << text;
  }

  // A call with a request in text format, to be made later.
  template <typename Method>
  std::function<absl::Status()> Calling(Method method,
                                        const std::string& text) {
    return [=, this] { return Call(method, text).status(); };
  }

  // Everything that is stored.
  std::string Content() {
    std::string content;
    const auto add = [&](const auto& answer) {
      ASSERT_THAT(answer, IsOk());
      content += answer->DebugString();
    };
    add(metadata().GetArtifactTypes({}));
    add(metadata().GetExecutionTypes({}));
    add(metadata().GetContextTypes({}));
    add(metadata().GetArtifacts({}));
    add(metadata().GetExecutions({}));
    add(metadata().GetContexts({}));
    add(Call(&MetadataStore::GetEventsByExecutionIDs,
             absl::StrCat("execution_ids: ", execution_)));
    add(Call(&MetadataStore::GetChildrenContextsByContext,
             absl::StrCat("context_id: ", context_)));
    return content;
  }

  void Expect(const std::vector<BadInput>& table) {
    const std::string before = Content();
    for (const BadInput& bad : table) {
      SCOPED_TRACE(bad.what);
      const absl::Status status = bad.call();
      EXPECT_THAT(status, StatusIs(bad.code));
      for (const std::string& name : bad.named) {
        EXPECT_THAT(std::string(status.message()), HasSubstr(name));
      }
      EXPECT_EQ(Content(), before);
    }
  }

  int64_t artifact_ = 0;
  int64_t execution_ = 0;
  int64_t context_ = 0;
  int64_t child_ = 0;
};

TEST_P(BadInputTest, InNodes) {
  // A good node in front of every bad one: it must not be kept either.
  const std::string good = "artifacts { type_id: $0 } ";
  Expect({
      {"an unknown type",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: 99 }"),
       StatusCode::kNotFound,
       {"artifact type", "99"}},
      {"a type of another kind",
       Calling(&MetadataStore::PutExecutions, "executions { type_id: $0 }"),
       StatusCode::kNotFound,
       {"execution type"}},
      {"an unknown id",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { id: 99 type_id: $0 }"),
       StatusCode::kInvalidArgument,
       {"artifact", "99"}},
      {"no type",
       Calling(&MetadataStore::PutArtifacts, good + "artifacts { name: 'n' }"),
       StatusCode::kInvalidArgument,
       {"artifact", "'n'", "type_id"}},
      {"a property of the wrong type",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: $0 properties { key: 'day' "
                      "value { string_value: 'Monday' } } }"),
       StatusCode::kInvalidArgument,
       {"'day'", "DataSet", "INT", "STRING"}},
      {"a property that is not declared",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: $0 properties { key: 'bogus' "
                      "value { int_value: 1 } } }"),
       StatusCode::kInvalidArgument,
       {"'bogus'", "DataSet"}},
      {"a property without a value",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: $0 custom_properties { "
                      "key: 'empty' value {} } }"),
       StatusCode::kInvalidArgument,
       {"'empty'", "no value"}},
      {"a name that is taken",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: $0 name: 'a' }"),
       StatusCode::kAlreadyExists,
       {"artifact", "'a'"}},
      {"an external id that is taken",
       Calling(&MetadataStore::PutArtifacts,
               good + "artifacts { type_id: $0 external_id: 'x' }"),
       StatusCode::kAlreadyExists,
       {"artifact", "'x'"}},
      {"a context without a name",
       Calling(&MetadataStore::PutContexts, "contexts { type_id: $2 }"),
       StatusCode::kInvalidArgument,
       {"context", "name"}},
  });
}

TEST_P(BadInputTest, InTypes) {
  Expect({
      {"no name",
       Calling(&MetadataStore::PutArtifactType, "artifact_type {}"),
       StatusCode::kInvalidArgument,
       {"artifact type", "name"}},
      {"a property that changes its type",
       Calling(&MetadataStore::PutArtifactType,
               "artifact_type { name: 'DataSet' properties { key: 'day' "
               "value: STRING } } can_omit_fields: true"),
       StatusCode::kAlreadyExists,
       {"DataSet", "day"}},
      {"one bad of two",
       Calling(&MetadataStore::PutTypes,
               "artifact_types { name: 'Fine' } artifact_types { name: 'Odd' "
               "properties { key: 'p' value: UNKNOWN } }"),
       StatusCode::kInvalidArgument,
       {"Odd", "'p'"}},
      {"a type that is not there",
       Calling(&MetadataStore::GetArtifactType, "type_name: 'Absent'"),
       StatusCode::kNotFound,
       {"artifact type", "Absent"}},
  });
}

TEST_P(BadInputTest, InEdges) {
  const std::string artifact = absl::StrCat("artifact_id: ", artifact_, " ");
  const std::string execution = absl::StrCat("execution_id: ", execution_, " ");
  Expect({
      {"an event of an unknown artifact",
       Calling(&MetadataStore::PutEvents,
               absl::StrCat("events { artifact_id: 99 type: INPUT ", execution,
                            "}")),
       StatusCode::kInvalidArgument,
       {"artifact 99"}},
      {"an event without a type",
       Calling(&MetadataStore::PutEvents,
               absl::StrCat("events { ", artifact, execution, "}")),
       StatusCode::kInvalidArgument,
       {"no type"}},
      {"an event that is there already",
       Calling(&MetadataStore::PutEvents,
               absl::StrCat("events { type: INPUT ", artifact, execution, "}")),
       StatusCode::kAlreadyExists,
       {"INPUT"}},
      {"a member of an unknown context",
       Calling(&MetadataStore::PutAttributionsAndAssociations,
               absl::StrCat("attributions { context_id: 99 ", artifact, "}")),
       StatusCode::kInvalidArgument,
       {"context", "99"}},
      {"a cycle of contexts",
       Calling(&MetadataStore::PutParentContexts,
               absl::StrCat("parent_contexts { child_id: ", context_,
                            " parent_id: ", child_, " }")),
       StatusCode::kInvalidArgument,
       {absl::StrCat("context ", child_), "cycle"}},
      {"a context as its own parent",
       Calling(&MetadataStore::PutParentContexts,
               absl::StrCat("parent_contexts { child_id: ", context_,
                            " parent_id: ", context_, " }")),
       StatusCode::kInvalidArgument,
       {"cycle"}},
      {"an index without a node",
       Calling(&MetadataStore::PutLineageSubgraph,
               absl::StrCat("artifacts { type_id: $0 } event_edges { "
                            "artifact_index: 1 event { type: INPUT ",
                            execution, "} }")),
       StatusCode::kOutOfRange,
       {"artifact_index 1"}},
  });
}

TEST_P(BadInputTest, InListings) {
  PutArtifact();
  RK_ASSERT_OK_AND_ASSIGN(
      const auto page,
      Call(&MetadataStore::GetArtifacts,
           "options { max_result_size: 1 filter_query: 'id > 0' }"));
  const std::string token =
      absl::StrCat("next_page_token: '", page.next_page_token(), "' ");
  Expect({
      {"a token of another filter",
       Calling(&MetadataStore::GetArtifacts,
               absl::StrCat("options { ", token, "filter_query: 'id > 1' }")),
       StatusCode::kInvalidArgument,
       {"next_page_token", "filter_query"}},
      {"a token of another order",
       Calling(&MetadataStore::GetArtifacts,
               absl::StrCat("options { ", token,
                            "filter_query: 'id > 0' "
                            "order_by_field { is_asc: false } }")),
       StatusCode::kInvalidArgument,
       {"next_page_token", "order_by_field"}},
      {"no token at all",
       Calling(&MetadataStore::GetArtifacts,
               "options { next_page_token: 'bogus!' }"),
       StatusCode::kInvalidArgument,
       {"next_page_token"}},
      {"a page of nothing",
       Calling(&MetadataStore::GetArtifacts, "options { max_result_size: 0 }"),
       StatusCode::kInvalidArgument,
       {"max_result_size"}},
      {"an unknown field in a filter",
       Calling(&MetadataStore::GetArtifacts,
               "options { filter_query: 'id = 1 AND bogus = 2' }"),
       StatusCode::kInvalidArgument,
       {"character 12", "'bogus'"}},
      {"a walk that starts nowhere",
       Calling(&MetadataStore::GetLineageSubgraph,
               "lineage_subgraph_query_options { starting_artifacts { "
               "filter_query: 'id = 99' } }"),
       StatusCode::kNotFound,
       {"starting nodes"}},
  });
}

RK_FOR_ALL_STORES(BadInputTest);

}  // namespace
}  // namespace rekindle
