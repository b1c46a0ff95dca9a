#include "cli/metadata/input_choices.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "component/resolve/input_choice.h"
#include "metadata/api/open_store.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Models 1 to 3 of a pipeline, of which 3 has no files and 2 is not LIVE; a
// Trainer that took model 1; and model 4, which came later.
class InputChoicesTest : public ::testing::Test {
 protected:
  InputChoicesTest() : store_(*OpenSqliteStore(":memory:", clock_)) {
    ml_metadata::PutTypesRequest types;
    types.add_artifact_types()->set_name("Model");
    types.add_execution_types()->set_name("tfx.Trainer");
    types.add_context_types()->set_name("pipeline");
    types_ = *store_->metadata().PutTypes(types);
    PutModel(dir_.Write("m1/x", ""), "LIVE");
    PutModel(dir_.Write("m2/x", ""), "ABANDONED");
    PutModel(dir_ / "gone", "LIVE");
    clock_.Advance(absl::Seconds(1));
    EXPECT_THAT(
        store_->metadata().PutExecution(
            Parse<ml_metadata::PutExecutionRequest>(absl::StrCat(
                "execution { type_id: ", types_.execution_type_ids(0), "} ",
                "artifact_event_pairs { event { artifact_id: 1 type: INPUT ",
                "  path { steps { key: 'base_model' } } } } ",
                "contexts { id: 1 type_id: ", types_.context_type_ids(0),
                "  name: 'p' }"))),
        IsOk());
    clock_.Advance(absl::Seconds(1));
    PutModel(dir_.Write("m4/x", ""), "LIVE");
  }

  void PutModel(const std::string& uri, const std::string& state) {
    const bool first = uri == dir_ / "m1/x";
    EXPECT_THAT(
        store_->metadata().PutExecution(
            Parse<ml_metadata::PutExecutionRequest>(absl::StrCat(
                "execution { type_id: ", types_.execution_type_ids(0), "} ",
                "artifact_event_pairs { artifact { type_id: ",
                types_.artifact_type_ids(0), " uri: '", uri, "' state: ", state,
                "} event { type: OUTPUT path { steps { key: 'model' } } } } ",
                "contexts { ", first ? "" : "id: 1 ",
                "type_id: ", types_.context_type_ids(0), " name: 'p' }"))),
        IsOk());
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixMillis(1'000'000)};
  std::unique_ptr<Store> store_;
  ml_metadata::PutTypesResponse types_;
};

TEST_F(InputChoicesTest, NewerCandidatesSayWhyTheyWerePassedOver) {
  RK_ASSERT_OK_AND_ASSIGN(const ExecutionChoices choices,
                          FindInputChoices(4, "", store_->metadata()));
  ASSERT_THAT(choices.inputs, SizeIs(1));
  EXPECT_EQ(choices.inputs[0].key, "base_model");
  const InputChoice& choice = choices.inputs[0].choice;
  EXPECT_THAT(choice.taken, ElementsAre(1));
  ASSERT_THAT(choice.candidates, SizeIs(2));
  EXPECT_EQ(choice.candidates[0].id, 3);
  EXPECT_THAT(choice.candidates[0].reason, HasSubstr("gone"));
  EXPECT_EQ(choice.candidates[1].id, 2);
  EXPECT_THAT(choice.candidates[1].reason, HasSubstr("ABANDONED"));
}

TEST_F(InputChoicesTest, ATrainerThatStartedColdIsAskedAboutToo) {
  RK_ASSERT_OK_AND_ASSIGN(
      const ExecutionChoices choices,
      FindInputChoices(1, "base_model", store_->metadata()));
  ASSERT_THAT(choices.inputs, SizeIs(1));
  EXPECT_THAT(choices.inputs[0].choice.taken, IsEmpty());
  EXPECT_THAT(ChoicesToText({choices}),
              HasSubstr("base_model: nothing: it went without"));
}

TEST_F(InputChoicesTest, AnUnknownInputNamesThoseThereAre) {
  EXPECT_THAT(FindInputChoices(4, "schema", store_->metadata()),
              StatusIs(StatusCode::kNotFound, HasSubstr("it has base_model")));
  EXPECT_THAT(FindInputChoices(99, "", store_->metadata()),
              StatusIs(StatusCode::kNotFound, HasSubstr("99")));
}

TEST_F(InputChoicesTest, WhatWasNotRecordedSaysSo) {
  RK_ASSERT_OK_AND_ASSIGN(const ExecutionChoices choices,
                          FindInputChoices(4, "", store_->metadata()));
  const nlohmann::json input = ChoicesToJson({choices})[0]["inputs"][0];
  EXPECT_EQ(input["candidates_recorded"], false);
  EXPECT_EQ(input["candidates"].size(), 2);
  EXPECT_THAT(ChoicesToText({choices}), HasSubstr("as they are now"));
}

// An execution that recorded its choice: model 1, although 4 is newer, because
// 4 was not LIVE then, and so was 99, which is gone.
class RecordedChoiceTest : public InputChoicesTest {
 protected:
  RecordedChoiceTest() {
    InputChoice choice;
    choice.type_name = "Model";
    choice.reference = "latest";
    choice.taken = {1};
    choice.candidates = {{99, false, "its state is PENDING, not LIVE"},
                         {4, false, "its state is PENDING, not LIVE"},
                         {1, true, "digest matches"}};
    choice.more_candidates = 7;
    ml_metadata::PutExecutionsRequest request;
    auto& execution = *request.add_executions();
    execution.set_type_id(types_.execution_type_ids(0));
    (*execution.mutable_custom_properties())["input_choice_base_model"]
        .set_string_value(ToJson(choice));
    execution_ = store_->metadata().PutExecutions(request)->execution_ids(0);
  }

  int64_t execution_ = 0;
};

TEST_F(RecordedChoiceTest, WhatWasJudgedThenIsTold) {
  RK_ASSERT_OK_AND_ASSIGN(
      const ExecutionChoices choices,
      FindInputChoices(execution_, "base_model", store_->metadata()));
  const std::string text = ChoicesToText({choices});
  EXPECT_THAT(text, HasSubstr("base_model (latest): Model 1"));
  EXPECT_THAT(text, HasSubstr("not   Model 4   its state is PENDING"));
  EXPECT_THAT(text, HasSubstr("took  Model 1   digest matches"));
  EXPECT_THAT(text, HasSubstr("and 7 more that were looked at"));
  EXPECT_THAT(text, Not(HasSubstr("as they are now")));
}

TEST_F(RecordedChoiceTest, JsonHasAllOfIt) {
  RK_ASSERT_OK_AND_ASSIGN(const ExecutionChoices choices,
                          FindInputChoices(execution_, "", store_->metadata()));
  const nlohmann::json input = ChoicesToJson({choices})[0]["inputs"][0];
  EXPECT_EQ(input["candidates_recorded"], true);
  EXPECT_EQ(input["reference"], "latest");
  EXPECT_EQ(input["chosen"][0]["id"], 1);
  EXPECT_EQ(input["candidates"].size(), 3);
  EXPECT_EQ(input["candidates"][0]["deleted"], true);
  EXPECT_EQ(input["candidates"][1]["reason"], "its state is PENDING, not LIVE");
  EXPECT_EQ(input["more_candidates"], 7);
}

}  // namespace
}  // namespace rekindle
