// What a step does with its inputs before it works, and what it records of
// them.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/launch/driver.h"
#include "component/launch/failure.h"
#include "component/launch/launcher.h"
#include "component/launch/plan.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/input_choice.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WriteModel : public Executor {
 public:
  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    RK_RETURN_IF_ERROR(WriteFileAtomically(
        JoinPath(context.output_dirs.at("model"), "weights"), "1"));
    return StepResult();
  }
};

class InputsTest : public ::testing::Test {
 protected:
  InputsTest() : store_(*OpenSqliteStore(dir_ / "m.db", clock_)) {}

  // A trainer of a run, with these inputs. Each run has other work: what an
  // earlier one computed is of no use to it.
  StepSpec Step(const std::string& run_id, std::vector<InputSpec> inputs) {
    StepSpec spec;
    spec.pipeline = "p";
    spec.run_id = run_id;
    spec.node_id = "Trainer";
    spec.pipeline_root = dir_ / "root";
    spec.execution_type = TrainerType();
    spec.inputs = std::move(inputs);
    spec.outputs = {{"model", ModelType()}};
    spec.parameters = {{"custom_config", StringValue(run_id)}};
    return spec;
  }

  StepReport Run(const StepSpec& spec) {
    LaunchOptions options;
    options.owner = "test";
    WriteModel executor;
    const auto report = Launcher(*store_, options).Run(spec, executor);
    EXPECT_THAT(report, IsOk());
    return *report;
  }
  int64_t RunAndGetModel(const std::string& run_id) {
    return Run(Step(run_id, {})).outputs.at(0).artifact.id();
  }

  Execution GetExecution(int64_t id) {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    return store_->metadata().GetExecutionsByID(request)->executions(0);
  }
  int CountEvents(int64_t execution_id) {
    ml_metadata::GetEventsByExecutionIDsRequest request;
    request.add_execution_ids(execution_id);
    return store_->metadata().GetEventsByExecutionIDs(request)->events_size();
  }

  // Whether the step could work with its inputs.
  absl::Status Check(const StepSpec& spec) {
    const auto inputs = ResolveInputs(spec, store_->metadata());
    EXPECT_THAT(inputs, IsOk());
    return CheckInputs(spec, *inputs);
  }

  static ArtifactRef Ref(const std::string& text) {
    return *ParseArtifactRef(text);
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixSeconds(1'000'000)};
  std::unique_ptr<Store> store_;
};

TEST_F(InputsTest, AChoiceIsRecordedWithTheExecution) {
  const int64_t model = RunAndGetModel("run-1");
  const StepReport report =
      Run(Step("run-2", {{"base_model", "Model", Ref("latest")}}));
  const auto choices = InputChoicesOf(GetExecution(report.execution_id));
  ASSERT_TRUE(choices.contains("base_model"));
  const InputChoice& choice = choices.at("base_model");
  EXPECT_EQ(choice.reference, "latest");
  EXPECT_THAT(choice.taken, ElementsAre(model));
  ASSERT_THAT(choice.candidates, SizeIs(1));
  EXPECT_THAT(choice.candidates[0].reason, HasSubstr("unchanged"));
}

TEST_F(InputsTest, WhatCouldNotBeResolvedIsRecordedWithoutInputs) {
  const int64_t model = RunAndGetModel("run-1");
  const StepReport report =
      Run(Step("run-2", {{"base_model", "Model", Ref("latest")},
                         {"schema", "Schema", Ref("id:99")}}));
  EXPECT_EQ(ReasonOf(report.error), FailureReason::kInputNotFound);
  const auto choices = InputChoicesOf(GetExecution(report.execution_id));
  EXPECT_THAT(choices.at("base_model").taken, ElementsAre(model));
  EXPECT_THAT(choices.at("schema").refusal, HasSubstr("id 99"));
  EXPECT_EQ(CountEvents(report.execution_id), 0);
}

TEST_F(InputsTest, AnErrorNamesOnlyAFewCandidates) {
  for (const char* run : {"a", "b", "c", "d", "e"}) RunAndGetModel(run);
  EXPECT_THAT(RemoveTree(dir_ / "root"), IsOk());
  const absl::Status unusable =
      Check(Step("run-2", {{"base_model", "Model", Ref("latest")}}));
  EXPECT_THAT(unusable,
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("and 2 more")));
  EXPECT_THAT(unusable.message(), HasSubstr("--base-model=id:NUMBER"));
}

TEST_F(InputsTest, ASingleInputRefusesMore) {
  RunAndGetModel("run-1");
  RunAndGetModel("run-2");
  InputSpec input = {"base_model", "Model", Ref("latest-created:5")};
  EXPECT_THAT(Check(Step("run-3", {input})), IsOk());
  input.single = true;
  const absl::Status refused = Check(Step("run-3", {input}));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("came to 2 artifacts")));
  EXPECT_EQ(ReasonOf(refused), FailureReason::kInputUnusable);
}

TEST_F(InputsTest, AMistypedTypeIsAnsweredWithTheNearest) {
  RunAndGetModel("run-1");
  InputSpec input = {"teacher", "Modle", Ref("latest")};
  input.typed_by_user = true;
  EXPECT_THAT(Check(Step("run-2", {input})),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("no artifact type 'Modle' is stored; did you "
                                 "mean Model?")));
}

TEST_F(InputsTest, APlanClaimsNothing) {
  const int64_t model = RunAndGetModel("run-1");
  const StepSpec spec = Step("run-2", {{"base_model", "Model", Ref("latest")}});
  RK_ASSERT_OK_AND_ASSIGN(const StepPlan plan,
                          PlanStep(spec, store_->metadata()));
  EXPECT_THAT(plan.ready, IsOk());
  EXPECT_FALSE(plan.earlier.has_value());
  EXPECT_EQ(plan.inputs.at("base_model").chosen.at(0).id(), model);
  EXPECT_THAT(store_->metadata().GetExecutions({})->executions(), SizeIs(1));
}

TEST_F(InputsTest, APlanKnowsAnEarlierExecutionOfItsRun) {
  const StepReport report = Run(Step("run-1", {}));
  RK_ASSERT_OK_AND_ASSIGN(const StepPlan plan,
                          PlanStep(Step("run-1", {}), store_->metadata()));
  ASSERT_TRUE(plan.earlier.has_value());
  EXPECT_EQ(plan.earlier->id(), report.execution_id);
}

TEST_F(InputsTest, APlanSaysWhyItWouldFail) {
  RK_ASSERT_OK_AND_ASSIGN(
      const StepPlan plan,
      PlanStep(Step("run-1", {{"schema", "Schema", Ref("latest")}}),
               store_->metadata()));
  EXPECT_EQ(ReasonOf(plan.ready), FailureReason::kInputNotFound);
  EXPECT_THAT(plan.inputs.at("schema").chosen, IsEmpty());
}

// Runs it as an attempt that ends with `end`, after the inputs are claimed.
class Ends : public Executor {
 public:
  explicit Ends(absl::Status end) : end_(std::move(end)) {}
  absl::StatusOr<StepResult> Execute(const StepContext&) override {
    return end_;
  }

 private:
  const absl::Status end_;
};

class RetryTest : public InputsTest {
 protected:
  // The base model of a retry after an attempt that ended so, during which
  // `latest` moved on.
  int64_t BaseModelAfter(const absl::Status& end) {
    const StepSpec spec =
        Step("retried", {{"base_model", "Model", Ref("latest"),
                          /*required=*/false}});
    first_ = RunAndGetModel("run-1");
    LaunchOptions options;
    options.owner = "test";
    Ends executor(end);
    EXPECT_THAT(Launcher(*store_, options).Run(spec, executor), IsOk());
    second_ = RunAndGetModel("run-2");
    return Run(spec).inputs.at("base_model").chosen.at(0).id();
  }

  int64_t first_ = 0;
  int64_t second_ = 0;
};

TEST_F(RetryTest, AnInterruptedAttemptIsContinuedWithItsInputs) {
  EXPECT_EQ(BaseModelAfter(absl::UnavailableError("killed")), first_);
}

TEST_F(RetryTest, AnAttemptThatFailedByItselfIsTriedWithWhatIsThereNow) {
  EXPECT_EQ(BaseModelAfter(absl::InternalError("a bug")), second_);
}

TEST_F(InputsTest, AStepThatWaitedForItsClaimReadsWhatIsThereThen) {
  const StepSpec spec = Step(
      "waiting", {{"base_model", "Model", Ref("latest"), /*required=*/false}});
  RunAndGetModel("run-1");
  const auto holder = store_->steps().Claim(
      MakeClaimRequest(spec, *ResolveInputs(spec, store_->metadata()),
                       std::nullopt, "another", absl::Seconds(30)));
  ASSERT_THAT(holder, IsOk());
  LaunchOptions options;
  options.owner = "test";
  int64_t newer = 0;
  options.time.wait = [&](absl::Duration, const std::vector<int>&) {
    newer = RunAndGetModel("run-2");
    v1::FinishRequest finish;
    finish.set_execution_id(holder->execution_id());
    finish.set_token(holder->token());
    finish.set_state(v1::FinishRequest::FAILED);
    EXPECT_THAT(store_->steps().Finish(finish), IsOk());
    return true;
  };
  WriteModel executor;
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report,
                          Launcher(*store_, options).Run(spec, executor));
  ASSERT_NE(newer, 0) << "it has not waited";
  EXPECT_EQ(report.inputs.at("base_model").chosen.at(0).id(), newer);
}

TEST_F(RetryTest, AnInputThatIsGoneIsLookedForAnew) {
  const StepSpec spec = Step(
      "retried", {{"base_model", "Model", Ref("latest"), /*required=*/false}});
  const int64_t first = RunAndGetModel("run-1");
  const int64_t second = RunAndGetModel("run-2");
  LaunchOptions options;
  options.owner = "test";
  Ends executor(absl::UnavailableError("killed"));
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report,
                          Launcher(*store_, options).Run(spec, executor));
  const ml_metadata::Artifact& read =
      report.inputs.at("base_model").chosen.at(0);
  ASSERT_EQ(read.id(), second);
  std::filesystem::remove_all(read.uri());
  EXPECT_EQ(Run(spec).inputs.at("base_model").chosen.at(0).id(), first);
}

}  // namespace
}  // namespace rekindle
