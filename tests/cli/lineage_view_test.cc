#include "cli/metadata/lineage_view.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

// Two trainings of the same examples, the second from the first one's model:
// examples -> A -> model 1 -> B -> model 2.
class LineageViewTest : public ::testing::Test {
 protected:
  LineageViewTest() : store_(*OpenSqliteStore(":memory:", SystemClock())) {
    ml_metadata::PutTypesRequest types;
    types.add_artifact_types()->set_name("Examples");
    types.add_artifact_types()->set_name("Model");
    types.add_execution_types()->set_name("tfx.Trainer");
    types_ = *store_->metadata().PutTypes(types);
    examples_ = PutArtifact(0, "/examples");
    model_1_ = PutArtifact(1, "/model/1");
    model_2_ = PutArtifact(1, "/model/2");
    first_ = PutExecution();
    second_ = PutExecution();
    Join(examples_, first_, ml_metadata::Event::INPUT, "examples");
    Join(model_1_, first_, ml_metadata::Event::OUTPUT, "model");
    Join(examples_, second_, ml_metadata::Event::INPUT, "examples");
    Join(model_1_, second_, ml_metadata::Event::INPUT, "base_model");
    Join(model_2_, second_, ml_metadata::Event::OUTPUT, "model");
  }

  static LineageRoot Of(int64_t artifact) {
    return {LineageRoot::Kind::kArtifact, artifact};
  }

  int64_t PutArtifact(int type, const std::string& uri) {
    ml_metadata::PutArtifactsRequest request;
    auto& artifact = *request.add_artifacts();
    artifact.set_type_id(types_.artifact_type_ids(type));
    artifact.set_uri(uri);
    artifact.set_state(ml_metadata::Artifact::LIVE);
    return store_->metadata().PutArtifacts(request)->artifact_ids(0);
  }

  int64_t PutExecution() {
    ml_metadata::PutExecutionsRequest request;
    auto& execution = *request.add_executions();
    execution.set_type_id(types_.execution_type_ids(0));
    execution.set_last_known_state(ml_metadata::Execution::COMPLETE);
    return store_->metadata().PutExecutions(request)->execution_ids(0);
  }

  void Join(int64_t artifact, int64_t execution, ml_metadata::Event::Type type,
            const std::string& key) {
    ml_metadata::PutEventsRequest request;
    auto& event = *request.add_events();
    event.set_artifact_id(artifact);
    event.set_execution_id(execution);
    event.set_type(type);
    event.mutable_path()->add_steps()->set_key(key);
    EXPECT_THAT(store_->metadata().PutEvents(request), IsOk());
  }

  std::unique_ptr<Store> store_;
  ml_metadata::PutTypesResponse types_;
  int64_t examples_ = 0;
  int64_t model_1_ = 0;
  int64_t model_2_ = 0;
  int64_t first_ = 0;
  int64_t second_ = 0;
};

TEST_F(LineageViewTest, TheTreeGoesBackToTheFirstInput) {
  RK_ASSERT_OK_AND_ASSIGN(const LineageView view,
                          LoadLineage(Of(model_2_), LineageDirection::kUpstream,
                                      100, store_->metadata()));
  EXPECT_EQ(LineageToTree(view),
            "Model 3  /model/2\n"
            "└─ Trainer  execution 2  COMPLETE\n"
            "   ├─ examples: Examples 1  /examples\n"
            "   └─ base_model: Model 2  /model/1\n"
            "      └─ Trainer  execution 1  COMPLETE\n"
            "         └─ examples: Examples 1  /examples  (above)\n");
}

TEST_F(LineageViewTest, DownstreamShowsWhatWasMadeOfIt) {
  RK_ASSERT_OK_AND_ASSIGN(
      const LineageView view,
      LoadLineage(Of(model_1_), LineageDirection::kDownstream, 100,
                  store_->metadata()));
  EXPECT_EQ(LineageToTree(view),
            "Model 2  /model/1\n"
            "└─ Trainer  execution 2  COMPLETE\n"
            "   └─ model: Model 3  /model/2\n");
}

TEST_F(LineageViewTest, NamesOfOthersCannotDriveTheTerminal) {
  const int64_t hostile = PutArtifact(1, "/m\x1b]0;owned\x07\nModel 1  /x");
  Join(hostile, first_, ml_metadata::Event::INPUT, "k\x1b[2J");
  RK_ASSERT_OK_AND_ASSIGN(const LineageView view,
                          LoadLineage(Of(model_1_), LineageDirection::kUpstream,
                                      100, store_->metadata()));
  EXPECT_EQ(LineageToTree(view),
            "Model 2  /model/1\n"
            "└─ Trainer  execution 1  COMPLETE\n"
            "   ├─ examples: Examples 1  /examples\n"
            "   └─ k [2J: Model 4  /m ]0;owned  Model 1  /x\n");
}

TEST_F(LineageViewTest, HopsBoundTheWalk) {
  RK_ASSERT_OK_AND_ASSIGN(const LineageView view,
                          LoadLineage(Of(model_2_), LineageDirection::kUpstream,
                                      1, store_->metadata()));
  EXPECT_EQ(view.executions.size(), 1);
  EXPECT_EQ(view.artifacts.size(), 1);
}

TEST_F(LineageViewTest, JsonHoldsNodesAndEvents) {
  RK_ASSERT_OK_AND_ASSIGN(const LineageView view,
                          LoadLineage(Of(model_2_), LineageDirection::kUpstream,
                                      100, store_->metadata()));
  const nlohmann::json json = LineageToJson(view);
  EXPECT_EQ(json["artifacts"].size(), 3);
  EXPECT_EQ(json["executions"].size(), 2);
  EXPECT_EQ(json["events"].size(), 5);
}

TEST_F(LineageViewTest, AnExecutionCanBeTheRoot) {
  RK_ASSERT_OK_AND_ASSIGN(const LineageRoot root,
                          ParseLineageRoot("execution:1"));
  RK_ASSERT_OK_AND_ASSIGN(
      const LineageView view,
      LoadLineage(root, LineageDirection::kDownstream, 2, store_->metadata()));
  EXPECT_EQ(LineageToTree(view),
            "Trainer  execution 1  COMPLETE\n"
            "└─ model: Model 2  /model/1\n"
            "   └─ Trainer  execution 2  COMPLETE\n");
}

TEST_F(LineageViewTest, ARootIsAnIdOrAnExecution) {
  EXPECT_EQ(ParseLineageRoot("7")->id, 7);
  EXPECT_EQ(ParseLineageRoot("artifact:7")->kind, LineageRoot::Kind::kArtifact);
  for (const char* wrong : {"", "0", "-1", "x", "context:1", "execution:"}) {
    EXPECT_THAT(ParseLineageRoot(wrong),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(LineageViewTest, AnUnknownArtifactIsNotFound) {
  EXPECT_THAT(
      LoadLineage(Of(99), LineageDirection::kUpstream, 100, store_->metadata()),
      StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace rekindle
