#include "cli/step_plan.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/cache/cache.h"
#include "component/cache/cache_history.h"
#include "component/launch/cache_forecast.h"
#include "component/launch/failure.h"
#include "component/launch/plan.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using ::testing::HasSubstr;

class StepPlanTest : public ::testing::Test {
 protected:
  StepPlanTest() {
    spec_.pipeline = "p";
    spec_.run_id = "monday";
    spec_.node_id = "Trainer";
    spec_.inputs = {{"base_model", "Model", *ParseArtifactRef("latest")}};
    Resolution& resolution = plan_.inputs["base_model"];
    resolution.PassOver(Model(9), "its state is DELETED, not LIVE");
    resolution.Take(Model(7), "digest matches");
  }

  static ml_metadata::Artifact Model(int64_t id) {
    ml_metadata::Artifact model;
    model.set_id(id);
    model.set_type("Model");
    model.set_uri("/data/model");
    return model;
  }

  void SetEarlier(Execution::State state) {
    plan_.earlier.emplace();
    plan_.earlier->set_id(4);
    plan_.earlier->set_last_known_state(state);
  }

  StepSpec spec_;
  StepPlan plan_;
  std::optional<CacheForecast> cache_;
};

TEST_F(StepPlanTest, TextHasEachCandidateWithItsReason) {
  const std::string text = PlanToText(spec_, plan_, cache_);
  EXPECT_THAT(text, HasSubstr("Trainer would run"));
  EXPECT_THAT(text, HasSubstr("base_model (latest): 7  /data/model"));
  EXPECT_THAT(text, HasSubstr("not   Model 9  its state is DELETED"));
  EXPECT_THAT(text, HasSubstr("took  Model 7  digest matches"));
}

TEST_F(StepPlanTest, ParametersAreShownInOneLineEach) {
  spec_.parameters = {{"train_args", StringValue("{\n  \"num_steps\": 5\n}")},
                      {"seed", IntValue(7)}};
  EXPECT_THAT(PlanToText(spec_, plan_, cache_),
              HasSubstr("  set  seed: 7\n"
                        "  set  train_args: { \"num_steps\": 5 }\n"));
  const nlohmann::json plan = PlanToJson(spec_, plan_, cache_);
  EXPECT_EQ(plan["parameters"]["seed"], 7);
  EXPECT_EQ(plan["parameters"]["train_args"], "{\n  \"num_steps\": 5\n}");
}

TEST_F(StepPlanTest, JsonHasTheSame) {
  const nlohmann::json plan = PlanToJson(spec_, plan_, cache_);
  EXPECT_EQ(plan["dry_run"], true);
  EXPECT_EQ(plan["would"], "run");
  const nlohmann::json& input = plan["inputs"]["base_model"];
  EXPECT_EQ(input["reference"], "latest");
  EXPECT_EQ(input["chosen"][0]["id"], 7);
  EXPECT_EQ(input["candidates"][0]["reason"], "its state is DELETED, not LIVE");
}

TEST_F(StepPlanTest, AnExecutionThatIsThereIsReopenedOrAnswers) {
  SetEarlier(Execution::FAILED);
  EXPECT_THAT(PlanToText(spec_, plan_, cache_),
              HasSubstr("would reopen: execution 4 is FAILED"));
  SetEarlier(Execution::COMPLETE);
  EXPECT_EQ(PlanToJson(spec_, plan_, cache_)["would"], "answer");
}

TEST_F(StepPlanTest, SaysWhatTheCacheWouldAnswer) {
  cache_.emplace();
  cache_->decision.kind = CacheDecision::Kind::kMiss;
  cache_->decision.rejected = {{3, "its files changed"}};
  cache_->nearest = EarlierRun{2, {{"parameter.steps", "1", "2"}}};
  EXPECT_THAT(PlanToText(spec_, plan_, cache_),
              HasSubstr("nothing to reuse; execution 3: its files changed; "
                        "execution 2 differs in parameter.steps"));
  EXPECT_EQ(PlanToJson(spec_, plan_, cache_)["cache"]["decision"], "miss");

  cache_->decision = {CacheDecision::Kind::kHit, {}};
  cache_->hit.emplace();
  cache_->hit->execution.set_id(5);
  EXPECT_THAT(PlanToText(spec_, plan_, cache_),
              HasSubstr("would reuse the outputs of execution 5"));
  EXPECT_EQ(PlanToJson(spec_, plan_, cache_)["cache"]["execution_id"], 5);
}

TEST_F(StepPlanTest, AMissingInputFails) {
  plan_.ready = WithReason(FailureReason::kInputNotFound,
                           absl::NotFoundError("no Model"));
  const nlohmann::json plan = PlanToJson(spec_, plan_, cache_);
  EXPECT_EQ(plan["would"], "fail");
  EXPECT_EQ(plan["error"]["reason"], "INPUT_NOT_FOUND");
}

}  // namespace
}  // namespace rekindle
