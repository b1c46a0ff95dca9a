// One process beside the chief of a step. The chief is the launcher itself, in
// a thread, or just its claim.
#include "component/workers/follower.h"

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "component/launch/driver.h"
#include "component/launch/launcher.h"
#include "component/launch/output_paths.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Execution;
using ::testing::HasSubstr;

// The same work for the chief and for one who takes part, as the test says.
class TwoSidedExecutor : public Executor {
 public:
  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    return execute(context);
  }
  absl::Status TakePart(const StepContext& context) override {
    ++parts;
    return take_part(context);
  }

  std::function<absl::StatusOr<StepResult>(const StepContext&)> execute;
  std::function<absl::Status(const StepContext&)> take_part =
      [](const StepContext&) { return absl::OkStatus(); };
  int parts = 0;
};

// Works until told to stop, as a parameter server does.
absl::Status WorkUntilStopped(const StepContext& context) {
  std::vector<pollfd> stops;
  for (const int fd : context.stop_fds) stops.push_back({fd, POLLIN, 0});
  poll(stops.data(), stops.size(), /*timeout=*/60'000);
  return context.check_stop();
}

class FollowerTest : public ::testing::Test {
 protected:
  FollowerTest() : store_(*OpenSqliteStore(dir_ / "m.db", clock_)) {
    spec_.pipeline = "p";
    spec_.run_id = "run-1";
    spec_.node_id = "Trainer";
    spec_.pipeline_root = dir_ / "root";
    spec_.execution_type = TrainerType();
    spec_.outputs = {{"model", ModelType()},
                     {"model_run", ModelRunType(), /*survives_failure=*/true}};
    spec_.parameters = {{"train_args", StringValue("{}")}};
    options_.role = {
        .alone = false, .type = "worker", .index = 1, .is_chief = false};
    options_.look_every = absl::Milliseconds(10);
    options_.chief_timeout = absl::Seconds(20);
  }

  Artifact StoredSchema() {
    ml_metadata::PutArtifactTypeRequest put_type;
    *put_type.mutable_artifact_type() = SchemaType();
    ml_metadata::PutArtifactsRequest put;
    Artifact& artifact = *put.add_artifacts();
    artifact.set_type_id(
        store_->metadata().PutArtifactType(put_type)->type_id());
    artifact.set_uri(dir_.path());
    artifact.set_state(Artifact::LIVE);
    artifact.set_id(store_->metadata().PutArtifacts(put)->artifact_ids(0));
    return artifact;
  }

  // A chief that has just begun to work.
  v1::ClaimResponse ClaimAsChief() {
    const auto claim = store_->steps().Claim(
        MakeClaimRequest(spec_, *ResolveInputs(spec_, store_->metadata()),
                         std::nullopt, "chief", absl::Seconds(30)));
    EXPECT_THAT(claim, IsOk());
    const std::string state = JoinPath(
        OutputPaths(spec_.pipeline_root, spec_.node_id, claim->store_id())
            .StateDir(spec_.ExternalId(), claim->execution_id(),
                      /*work_key=*/""),
        absl::StrCat(claim->token()));
    EXPECT_THAT(MakeDirs(state), IsOk());
    return *claim;
  }

  absl::StatusOr<StepReport> Follow() {
    return Follower(*store_, options_).Run(spec_, executor_);
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<Store> store_;
  StepSpec spec_;
  FollowOptions options_;
  TwoSidedExecutor executor_;
};

TEST_F(FollowerTest, WorksOnTheChiefsInputsAndLeavesNoTrace) {
  const Artifact schema = StoredSchema();
  spec_.inputs = {
      {"schema", "Schema", *ParseArtifactRef("uri:" + dir_.path())}};
  std::promise<void> has_worked;
  executor_.execute =
      [&](const StepContext& context) -> absl::StatusOr<StepResult> {
    // A newer one, which must not be taken.
    StoredSchema();
    has_worked.get_future().wait();
    // The chief's folder is the worker's too, its other outputs are not.
    EXPECT_EQ(*ReadFile(JoinPath(context.output_dirs.at("model_run"), "seen")),
              "1");
    EXPECT_TRUE(IsEmptyFolder(context.output_dirs.at("model")));
    return StepResult{};
  };
  std::string scratch;
  executor_.take_part = [&](const StepContext& context) {
    EXPECT_EQ(context.FindInput("schema")->id(), schema.id());
    scratch = context.output_dirs.at("model");
    EXPECT_THAT(WriteFileAtomically(JoinPath(scratch, "weights"), "1"), IsOk());
    EXPECT_THAT(WriteFileAtomically(
                    JoinPath(context.output_dirs.at("model_run"), "seen"), "1"),
                IsOk());
    has_worked.set_value();
    return WorkUntilStopped(context);
  };
  LaunchOptions launch;
  launch.owner = "chief";
  auto chief = std::async(std::launch::async, [&] {
    return Launcher(*store_, launch).Run(spec_, executor_);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  RK_ASSERT_OK_AND_ASSIGN(const StepReport chiefs, chief.get());

  EXPECT_THAT(report.error, IsOk());
  EXPECT_EQ(report.role, "worker 1");
  EXPECT_EQ(report.execution_id, chiefs.execution_id);
  EXPECT_EQ(chiefs.state, Execution::COMPLETE);
  EXPECT_EQ(chiefs.outputs.size(), 2);
  EXPECT_FALSE(PathExists(scratch));
  EXPECT_EQ(store_->metadata().GetExecutions({})->executions_size(), 1);
}

TEST_F(FollowerTest, FindsAnArtifactUnderEachOfItsKeys) {
  const Artifact schema = StoredSchema();
  const ArtifactRef ref = *ParseArtifactRef("uri:" + dir_.path());
  spec_.inputs = {{"schema", "Schema", ref}, {"extra", "Schema", ref}};
  ClaimAsChief();
  executor_.take_part = [&](const StepContext& context) {
    for (const char* key : {"schema", "extra"}) {
      const Artifact* found = context.FindInput(key);
      EXPECT_TRUE(found != nullptr && found->id() == schema.id()) << key;
    }
    return absl::OkStatus();
  };
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error, IsOk());
  EXPECT_EQ(executor_.parts, 1);
}

TEST_F(FollowerTest, ReadsNothingThatItWouldNotHaveTakenItself) {
  StoredSchema();
  spec_.inputs = {
      {"schema", "Schema", *ParseArtifactRef("uri:" + dir_.path())}};
  ClaimAsChief();
  spec_.inputs[0].ref = *ParseArtifactRef("latest");
  executor_.take_part = [](const StepContext&) {
    ADD_FAILURE() << "it has begun to work";
    return absl::OkStatus();
  };
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr("--artifact-root")));
}

TEST_F(FollowerTest, HasNothingToDoWhenTheChiefHasFinished) {
  executor_.execute = [](const StepContext&) -> absl::StatusOr<StepResult> {
    return StepResult{};
  };
  LaunchOptions launch;
  launch.owner = "chief";
  ASSERT_THAT(Launcher(*store_, launch).Run(spec_, executor_), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error, IsOk());
  EXPECT_TRUE(report.finished_before);
  EXPECT_EQ(executor_.parts, 0);
}

TEST_F(FollowerTest, EndsWithAChiefThatVanished) {
  ClaimAsChief();
  executor_.take_part = [this](const StepContext& context) {
    clock_.Advance(absl::Seconds(31));
    return WorkUntilStopped(context);
  };
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kUnavailable,
                                     HasSubstr("attempt 1 vanished")));
}

TEST_F(FollowerTest, EndsWhenTheChiefBeginsAnew) {
  ClaimAsChief();
  executor_.take_part = [this](const StepContext& context) {
    clock_.Advance(absl::Seconds(31));
    ClaimAsChief();
    return WorkUntilStopped(context);
  };
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_EQ(report.error.code(), absl::StatusCode::kUnavailable)
      << report.error;
}

TEST_F(FollowerTest, EndsAsItsOwnWorkDid) {
  ClaimAsChief();
  executor_.take_part = [](const StepContext&) {
    return absl::InternalError("the module is wrong");
  };
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kInternal,
                                     HasSubstr("the module is wrong")));
}

TEST_F(FollowerTest, WaitsForAChiefOnlySoLong) {
  options_.chief_timeout = absl::Milliseconds(30);
  EXPECT_THAT(Follow(), StatusIs(absl::StatusCode::kUnavailable,
                                 HasSubstr("nobody has claimed it")));
  ClaimAsChief();
  clock_.Advance(absl::Seconds(31));
  EXPECT_THAT(Follow(), StatusIs(absl::StatusCode::kUnavailable,
                                 HasSubstr("attempt 1 vanished")));
  EXPECT_EQ(executor_.parts, 0);
}

TEST_F(FollowerTest, DoesNotWaitLongForAChiefThatFailedForGood) {
  options_.failed_chief_timeout = absl::Milliseconds(30);
  executor_.execute = [](const StepContext&) -> absl::StatusOr<StepResult> {
    return absl::InvalidArgumentError("the role \"ps\" is refused");
  };
  LaunchOptions launch;
  launch.owner = "chief";
  ASSERT_THAT(Launcher(*store_, launch).Run(spec_, executor_), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Follow());
  EXPECT_THAT(report.error,
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the chief failed: the role \"ps\"")));
  EXPECT_EQ(executor_.parts, 0);
}

TEST_F(FollowerTest, RefusesToShareOtherWork) {
  ClaimAsChief();
  const StepSpec same = spec_;
  spec_.parameters = {{"train_args", StringValue("{\"num_steps\": 3}")}};
  EXPECT_THAT(Follow(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("another train_args")));
  spec_ = same;
  spec_.pipeline = "another";
  EXPECT_THAT(Follow(), StatusIs(absl::StatusCode::kAlreadyExists,
                                 HasSubstr("belongs to pipeline 'p'")));
  EXPECT_EQ(executor_.parts, 0);
}

}  // namespace
}  // namespace rekindle
