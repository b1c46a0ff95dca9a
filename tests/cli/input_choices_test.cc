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
#include "metadata/api/open_store.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
  const InputChoice& input = choices.inputs[0];
  EXPECT_EQ(input.key, "base_model");
  ASSERT_THAT(input.chosen, SizeIs(1));
  EXPECT_EQ(input.chosen[0].id(), 1);
  ASSERT_THAT(input.passed_over, SizeIs(2));
  EXPECT_EQ(input.passed_over[0].artifact.id(), 3);
  EXPECT_THAT(input.passed_over[0].reason, HasSubstr("gone"));
  EXPECT_EQ(input.passed_over[1].artifact.id(), 2);
  EXPECT_THAT(input.passed_over[1].reason, HasSubstr("ABANDONED"));
}

TEST_F(InputChoicesTest, ATrainerThatStartedColdIsAskedAboutToo) {
  RK_ASSERT_OK_AND_ASSIGN(
      const ExecutionChoices choices,
      FindInputChoices(1, "base_model", store_->metadata()));
  ASSERT_THAT(choices.inputs, SizeIs(1));
  EXPECT_THAT(choices.inputs[0].chosen, IsEmpty());
  EXPECT_THAT(ChoicesToText({choices}),
              HasSubstr("base_model: nothing: it went without"));
}

TEST_F(InputChoicesTest, AnUnknownInputNamesThoseThereAre) {
  EXPECT_THAT(FindInputChoices(4, "schema", store_->metadata()),
              StatusIs(StatusCode::kNotFound, HasSubstr("it has base_model")));
  EXPECT_THAT(FindInputChoices(99, "", store_->metadata()),
              StatusIs(StatusCode::kNotFound, HasSubstr("99")));
}

TEST_F(InputChoicesTest, JsonSaysThatCandidatesWereNotRecorded) {
  RK_ASSERT_OK_AND_ASSIGN(const ExecutionChoices choices,
                          FindInputChoices(4, "", store_->metadata()));
  const nlohmann::json input = ChoicesToJson({choices})[0]["inputs"][0];
  EXPECT_EQ(input["candidates_recorded"], false);
  EXPECT_EQ(input["passed_over"].size(), 2);
}

}  // namespace
}  // namespace rekindle
