#include "component/launch/launcher.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
#include "component/launch/stage.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/digest_check.h"
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
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A store whose owner can die: after Crash() every call of a step fails.
class MortalStore : public Store, public StepStore {
 public:
  explicit MortalStore(Store& store) : store_(store) {}

  void CrashBeforePublish() { crash_before_publish_ = true; }
  // The next calls find it away, as if its server was restarted.
  void BeAwayFor(int calls) { away_for_ = calls; }
  // What somebody else does just before the next publish.
  void BeforePublish(std::function<void()> meanwhile) {
    meanwhile_ = std::move(meanwhile);
  }

  MetadataStore& metadata() override { return store_.metadata(); }
  StepStore& steps() override { return *this; }
  MaintenanceStore& maintenance() override { return store_.maintenance(); }

  absl::StatusOr<v1::ClaimResponse> Claim(
      const v1::ClaimRequest& request) override {
    return store_.steps().Claim(request);
  }
  absl::StatusOr<v1::RenewResponse> Renew(
      const v1::RenewRequest& request) override {
    if (dead_) return Dead();
    return store_.steps().Renew(request);
  }
  absl::StatusOr<v1::StartWorkResponse> StartWork(
      const v1::StartWorkRequest& request) override {
    if (dead_) return Dead();
    return store_.steps().StartWork(request);
  }
  absl::StatusOr<v1::PreparePublishResponse> PreparePublish(
      const v1::PreparePublishRequest& request) override {
    if (dead_ || away_for_-- > 0) return Dead();
    return store_.steps().PreparePublish(request);
  }
  absl::StatusOr<v1::PublishResponse> Publish(
      const v1::PublishRequest& request) override {
    if (meanwhile_) std::exchange(meanwhile_, nullptr)();
    dead_ = dead_ || crash_before_publish_;
    if (dead_ || away_for_-- > 0) return Dead();
    return store_.steps().Publish(request);
  }
  absl::StatusOr<v1::FinishResponse> Finish(
      const v1::FinishRequest& request) override {
    if (dead_) return Dead();
    return store_.steps().Finish(request);
  }
  absl::StatusOr<v1::IdentifyResponse> Identify(
      const v1::IdentifyRequest& request) override {
    return store_.steps().Identify(request);
  }
  absl::StatusOr<v1::VerifyResponse> Verify(
      const v1::VerifyRequest& request) override {
    return store_.steps().Verify(request);
  }
  absl::StatusOr<v1::DeleteResponse> Delete(
      const v1::DeleteRequest& request) override {
    return store_.steps().Delete(request);
  }

 private:
  static absl::Status Dead() { return absl::UnavailableError("gone"); }

  Store& store_;
  bool crash_before_publish_ = false;
  std::function<void()> meanwhile_;
  std::atomic<int> away_for_ = 0;
  bool dead_ = false;
};

// Does what the test says.
class FunctionExecutor : public Executor {
 public:
  using Function =
      std::function<absl::StatusOr<StepResult>(const StepContext& context)>;
  explicit FunctionExecutor(Function function)
      : function_(std::move(function)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    ++calls;
    return function_(context);
  }

  int calls = 0;

 private:
  Function function_;
};

class LauncherTest : public ::testing::Test {
 protected:
  LauncherTest() : store_(*OpenSqliteStore(dir_ / "m.db", clock_)) {
    spec_.pipeline = "p";
    spec_.run_id = "run-1";
    spec_.node_id = "Trainer";
    spec_.pipeline_root = dir_ / "root";
    spec_.execution_type = TrainerType();
    spec_.outputs = {{"model", ModelType()},
                     {"model_run", ModelRunType(), /*survives_failure=*/true}};
    spec_.parameters = {{"train_args", StringValue("{}")}};
  }

  absl::StatusOr<StepReport> Launch(
      Executor& executor, Store& store, StageObserver on_stage = [](Stage) {}) {
    LaunchOptions options;
    options.owner = "test";
    options.claim_timeout = absl::ZeroDuration();
    options.on_stage = std::move(on_stage);
    options.store_timeout = store_timeout_;
    options.deadline = deadline_;
    options.previous_failure = previous_failure_;
    options.cache.look_up = look_up_;
    return Launcher(store, options).Run(spec_, executor);
  }
  absl::StatusOr<StepReport> Launch(Executor& executor) {
    return Launch(executor, *store_);
  }

  // An executor that writes a model and a checkpoint.
  static absl::StatusOr<StepResult> WriteModel(const StepContext& context) {
    RK_RETURN_IF_ERROR(WriteFileAtomically(
        JoinPath(context.output_dirs.at("model"), "weights"), "1"));
    RK_RETURN_IF_ERROR(WriteFileAtomically(
        JoinPath(context.output_dirs.at("model_run"), "ckpt"), "1"));
    StepResult result;
    result.outputs["model"].custom_properties["accuracy"] = DoubleValue(0.1);
    result.execution_properties["devices"] = StringValue("CPU:0");
    return result;
  }

  void ExpectFailed(int64_t execution_id, const std::string& reason) {
    const Execution execution = GetExecution(execution_id);
    EXPECT_EQ(execution.last_known_state(), Execution::FAILED);
    EXPECT_EQ(CustomString(execution, "failure_reason"), reason);
  }

  Execution GetExecution(int64_t id) {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    return store_->metadata().GetExecutionsByID(request)->executions(0);
  }

  std::vector<ml_metadata::Artifact> AllArtifacts() {
    const auto response = store_->metadata().GetArtifacts({});
    return {response->artifacts().begin(), response->artifacts().end()};
  }

  std::string StoreId() { return store_->steps().Identify({})->store_id(); }

  // Names in the folder of a key, hidden ones too.
  std::vector<std::string> Visible(const std::string& key) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(
             JoinPath(NodeDirOf(spec_.pipeline_root, spec_.node_id), key),
             none)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<Store> store_;
  StepSpec spec_;
  absl::Duration
      store_timeout_;  // none: a store that is away is not waited for
  absl::Time deadline_ = absl::InfiniteFuture();
  std::string previous_failure_;
  bool look_up_ = true;
};

TEST_F(LauncherTest, PublishesWhatTheExecutorWrote) {
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));

  EXPECT_EQ(report.state, Execution::COMPLETE);
  ASSERT_EQ(report.outputs.size(), 2);
  const ml_metadata::Artifact& model = report.outputs[0].artifact;
  EXPECT_EQ(*ReadFile(JoinPath(model.uri(), "weights")), "1");
  EXPECT_EQ(CustomString(model, "tfx_version"), kTfxVersion);
  EXPECT_EQ(model.custom_properties().at("accuracy").double_value(), 0.1);
  EXPECT_TRUE(CheckFiles(model, spec_.Files()).usable);
  const std::string id = std::to_string(report.execution_id);
  EXPECT_THAT(Visible("model"), UnorderedElementsAre(id));
  EXPECT_THAT(Visible("model_run"), UnorderedElementsAre(id));
}

TEST_F(LauncherTest, RecordsTheContextsOfTfx) {
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  ml_metadata::GetContextsByExecutionRequest request;
  request.set_execution_id(report.execution_id);
  RK_ASSERT_OK_AND_ASSIGN(const auto response,
                          store_->metadata().GetContextsByExecution(request));
  std::vector<std::string> contexts;
  for (const ml_metadata::Context& context : response.contexts()) {
    contexts.push_back(context.type() == "execution_cache"
                           ? "execution_cache"
                           : context.type() + "=" + context.name());
  }
  EXPECT_THAT(contexts,
              UnorderedElementsAre("pipeline=p", "pipeline_run=run-1",
                                   "node=p.Trainer", "execution_cache"));
}

TEST_F(LauncherTest, AFailureIsRecordedWithItsReasonAndShowsNoOutput) {
  FunctionExecutor executor(
      [](const StepContext& context) -> absl::StatusOr<StepResult> {
        EXPECT_THAT(WriteModel(context), IsOk());
        return absl::InvalidArgumentError("the label is missing");
      });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_EQ(report.state, Execution::FAILED);
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kInvalidArgument,
                                     "the label is missing"));
  const Execution execution = GetExecution(report.execution_id);
  EXPECT_EQ(execution.last_known_state(), Execution::FAILED);
  EXPECT_THAT(CustomString(execution, "__execution_result__"),
              HasSubstr("the label is missing"));
  EXPECT_THAT(AllArtifacts(), IsEmpty());
  EXPECT_THAT(Visible("model"), IsEmpty());
}

TEST_F(LauncherTest, ARetryIsTheSameExecutionAndFindsItsState) {
  FunctionExecutor fails(
      [](const StepContext& context) -> absl::StatusOr<StepResult> {
        EXPECT_THAT(WriteModel(context), IsOk());
        return absl::UnavailableError("preempted");
      });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport first, Launch(fails));

  bool found_checkpoint = false;
  FunctionExecutor succeeds([&](const StepContext& context) {
    found_checkpoint =
        PathExists(JoinPath(context.output_dirs.at("model_run"), "ckpt"));
    EXPECT_FALSE(
        PathExists(JoinPath(context.output_dirs.at("model"), "weights")));
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport second, Launch(succeeds));
  EXPECT_EQ(second.execution_id, first.execution_id);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_TRUE(found_checkpoint);
  EXPECT_EQ(GetExecution(second.execution_id).last_known_state(),
            Execution::COMPLETE);
}

TEST_F(LauncherTest, AnExecutionSaysWhichAttemptItIsAndWhetherItResumed) {
  FunctionExecutor fails(
      [](const StepContext& context) -> absl::StatusOr<StepResult> {
        EXPECT_THAT(WriteModel(context), IsOk());
        return absl::UnavailableError("preempted");
      });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport first, Launch(fails));
  auto properties = GetExecution(first.execution_id).custom_properties();
  EXPECT_EQ(properties.at("attempt").int_value(), 1);
  EXPECT_EQ(properties.at("resumed").int_value(), 0);

  FunctionExecutor succeeds(WriteModel);
  ASSERT_THAT(Launch(succeeds), IsOk());
  properties = GetExecution(first.execution_id).custom_properties();
  EXPECT_EQ(properties.at("attempt").int_value(), 2);
  EXPECT_EQ(properties.at("resumed").int_value(), 1);
}

TEST_F(LauncherTest, WhatIsKnownOfAFailureIsGoneOnceItIsRepaired) {
  FunctionExecutor fails(
      [](const StepContext& context) -> absl::StatusOr<StepResult> {
        context.facts->properties["exit_code"] = IntValue(3);
        context.facts->properties["peak_rss_bytes"] = IntValue(1000);
        context.facts->log_tail = "Traceback\n";
        return WithReason(FailureReason::kChildExitCode,
                          absl::InternalError("it ended with exit code 3"));
      });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport failed, Launch(fails));
  ExpectFailed(failed.execution_id, "CHILD_EXIT_CODE");
  Execution execution = GetExecution(failed.execution_id);
  EXPECT_EQ(CustomString(execution, "failure_log_tail"), "Traceback\n");
  EXPECT_EQ(execution.custom_properties().at("exit_code").int_value(), 3);
  EXPECT_EQ(execution.custom_properties().at("peak_rss_bytes").int_value(),
            1000);

  FunctionExecutor succeeds([&](const StepContext& context) {
    const Execution reopened = GetExecution(failed.execution_id);
    for (const char* name : {"failure_reason", "failure_log_tail", "exit_code",
                             "__execution_result__"}) {
      EXPECT_FALSE(reopened.custom_properties().contains(name)) << name;
    }
    return WriteModel(context);
  });
  ASSERT_THAT(Launch(succeeds), IsOk());
  execution = GetExecution(failed.execution_id);
  EXPECT_FALSE(execution.custom_properties().contains("failure_reason"));
  EXPECT_THAT(CustomString(execution, "attempts"),
              AllOf(HasSubstr("CHILD_EXIT_CODE"),
                    HasSubstr("it ended with exit code 3")))
      << "the log of attempts keeps it";
}

TEST_F(LauncherTest, AnAttemptThatVanishedGetsTheReasonItsOrchestratorTells) {
  MortalStore mortal(*store_);
  mortal.CrashBeforePublish();
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport vanished, Launch(executor, mortal));

  clock_.Advance(absl::Minutes(5));
  previous_failure_ = "main: OOMKilled (exit code 137)";
  ASSERT_THAT(Launch(executor), IsOk());
  const std::string attempts =
      CustomString(GetExecution(vanished.execution_id), "attempts");
  EXPECT_THAT(attempts, HasSubstr("\"state\":\"LOST\""));
  EXPECT_THAT(attempts, HasSubstr("\"failure_reason\":\"OUT_OF_MEMORY\""));
  EXPECT_THAT(attempts, HasSubstr(previous_failure_));
}

TEST_F(LauncherTest, AStoreThatIsAwayForAWhileIsWaitedFor) {
  MortalStore mortal(*store_);
  store_timeout_ = absl::Minutes(1);
  FunctionExecutor executor([&](const StepContext& context) {
    mortal.BeAwayFor(2);
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor, mortal));
  EXPECT_EQ(report.state, Execution::COMPLETE) << report.error;
}

TEST_F(LauncherTest, AStoreThatStaysAwayIsUnreachableAndTheWorkIsKept) {
  MortalStore mortal(*store_);
  mortal.CrashBeforePublish();
  store_timeout_ = absl::Milliseconds(1);
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor, mortal));
  EXPECT_EQ(ReasonOf(report.error), FailureReason::kStoreUnreachable);
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kUnavailable,
                                     HasSubstr("--store-timeout")));
  clock_.Advance(absl::Minutes(5));
  RK_ASSERT_OK_AND_ASSIGN(const StepReport retried, Launch(executor));
  EXPECT_EQ(retried.state, Execution::COMPLETE);
  EXPECT_EQ(executor.calls, 1) << "published without doing the work again";
}

TEST_F(LauncherTest, WorkThatAsksLearnsOfTheDeadline) {
  deadline_ = absl::Now() - absl::Seconds(1);
  FunctionExecutor executor(
      [](const StepContext& context) -> absl::StatusOr<StepResult> {
        RK_RETURN_IF_ERROR(context.check_stop());
        return WriteModel(context);
      });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_EQ(report.error.code(), absl::StatusCode::kDeadlineExceeded);
  ExpectFailed(report.execution_id, "DEADLINE");
}

TEST_F(LauncherTest, WorkThatIsDoneIsPublishedAfterTheDeadlineToo) {
  deadline_ = absl::Now() - absl::Seconds(1);
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_EQ(report.state, Execution::COMPLETE);
}

TEST_F(LauncherTest, AClockThatJumpsForwardLetsNoTwoPublish) {
  FunctionExecutor winner(WriteModel);
  FunctionExecutor loser([&](const StepContext& context) {
    clock_.Advance(absl::Hours(24));  // Its lease seems to have ended,
    EXPECT_THAT(Launch(winner), IsOk());
    clock_.Advance(-absl::Hours(24));  // and then it has not.
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(loser));
  EXPECT_EQ(report.error.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(AllArtifacts().size(), 2) << "exactly one model and model_run";
}

TEST_F(LauncherTest, AFinishedStepIsNotRunAgain) {
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport first, Launch(executor));
  RK_ASSERT_OK_AND_ASSIGN(const StepReport again, Launch(executor));
  EXPECT_EQ(executor.calls, 1);
  EXPECT_TRUE(again.finished_before);
  ASSERT_EQ(again.outputs.size(), 2);
  EXPECT_EQ(again.outputs[0].artifact.id(), first.outputs[0].artifact.id());
}

// Somebody takes a result away after a step has found it in the cache, and
// before the step has published it as its own.
class TakenAwayTest : public LauncherTest {
 protected:
  // The report of a step that would have reused what is taken away.
  StepReport LaunchWhile(
      const std::function<void(const StepReport&)>& taking_away) {
    const absl::StatusOr<StepReport> first = Launch(executor_);
    EXPECT_THAT(first, IsOk());
    MortalStore store(*store_);
    store.BeforePublish([&] { taking_away(*first); });
    spec_.run_id = "run-2";
    const absl::StatusOr<StepReport> second = Launch(executor_, store);
    EXPECT_THAT(second, IsOk());
    return *second;
  }

  void ExpectComputed(const StepReport& report) {
    EXPECT_EQ(report.state, Execution::COMPLETE) << report.error;
    EXPECT_EQ(report.cached_from, std::nullopt);
    EXPECT_EQ(executor_.calls, 2);
    const Execution execution = GetExecution(report.execution_id);
    EXPECT_EQ(execution.last_known_state(), Execution::COMPLETE);
    EXPECT_THAT(CustomString(execution, kCacheDecisionProperty),
                HasSubstr("\"decision\":\"miss\""));
    EXPECT_EQ(CustomInt(execution, kCachedFromProperty), std::nullopt);
  }

  void SetState(ml_metadata::Artifact artifact,
                ml_metadata::Artifact::State state) {
    artifact.clear_type();
    artifact.set_state(state);
    ml_metadata::PutArtifactsRequest put;
    *put.add_artifacts() = std::move(artifact);
    ASSERT_THAT(store_->metadata().PutArtifacts(put), IsOk());
  }

  FunctionExecutor executor_{WriteModel};
};

TEST_F(TakenAwayTest, AnOutputThatIsNoLongerLiveIsComputed) {
  ExpectComputed(LaunchWhile([this](const StepReport& first) {
    SetState(first.outputs[0].artifact,
             ml_metadata::Artifact::MARKED_FOR_DELETION);
  }));
}

TEST_F(TakenAwayTest, AnOutputThatIsNoLongerStoredIsComputed) {
  ExpectComputed(LaunchWhile([this](const StepReport& first) {
    v1::DeleteRequest request;
    request.add_artifact_ids(first.outputs[0].artifact.id());
    request.set_break_lineage(true);
    ASSERT_THAT(store_->steps().Delete(request), IsOk());
  }));
}

TEST_F(TakenAwayTest, AnInvalidatedResultIsComputed) {
  ExpectComputed(LaunchWhile([this](const StepReport& first) {
    Execution execution = GetExecution(first.execution_id);
    (*execution.mutable_custom_properties())[kCacheInvalidatedProperty] =
        StringValue("2026-01-01T00:00:00Z");
    ml_metadata::PutExecutionsRequest put;
    *put.add_executions() = std::move(execution);
    ASSERT_THAT(store_->metadata().PutExecutions(put), IsOk());
  }));
}

TEST_F(TakenAwayTest, AnotherResultIsReusedIfThereIsOne) {
  RK_ASSERT_OK_AND_ASSIGN(const StepReport older, Launch(executor_));
  spec_.run_id = "run-1b";
  look_up_ = false;
  RK_ASSERT_OK_AND_ASSIGN(const StepReport newer, Launch(executor_));
  look_up_ = true;
  MortalStore store(*store_);
  store.BeforePublish([&] {
    SetState(newer.outputs[0].artifact, ml_metadata::Artifact::DELETED);
  });
  spec_.run_id = "run-2";
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor_, store));
  EXPECT_EQ(report.state, Execution::CACHED);
  EXPECT_EQ(report.cached_from, older.execution_id);
  EXPECT_EQ(executor_.calls, 2);
}

TEST_F(TakenAwayTest, AnExecutorThatFoundItLooksAgain) {
  RK_ASSERT_OK_AND_ASSIGN(const StepReport first, Launch(executor_));
  MortalStore store(*store_);
  store.BeforePublish([&] {
    SetState(first.outputs[0].artifact, ml_metadata::Artifact::DELETED);
  });
  spec_.node_id = "Importer";
  spec_.outputs = {{.key = "result", .type = ModelType(), .external = true}};
  int looks = 0;
  FunctionExecutor importer([&](const StepContext&) {
    StepResult result;
    ml_metadata::Artifact& found = result.outputs["result"].external;
    if (++looks == 1) {
      found = first.outputs[0].artifact;
    } else {
      found.set_uri(first.outputs[0].artifact.uri());
    }
    return result;
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(importer, store));
  ASSERT_EQ(report.state, Execution::COMPLETE) << report.error;
  EXPECT_NE(report.outputs[0].artifact.id(), first.outputs[0].artifact.id());
  EXPECT_EQ(importer.calls, 2);
}

TEST_F(LauncherTest, ACrashAfterTheRenameIsCompletedByTheNextAttempt) {
  MortalStore mortal(*store_);
  mortal.CrashBeforePublish();
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport crashed, Launch(executor, mortal));
  EXPECT_EQ(crashed.state, Execution::FAILED);
  EXPECT_THAT(AllArtifacts(), IsEmpty());

  clock_.Advance(absl::Minutes(5));  // Past the dead process's lease.
  RK_ASSERT_OK_AND_ASSIGN(const StepReport retried, Launch(executor));
  EXPECT_EQ(retried.state, Execution::COMPLETE);
  EXPECT_EQ(executor.calls, 1) << "the work was done already";
  EXPECT_EQ(AllArtifacts().size(), 2);
  EXPECT_EQ(retried.outputs[0]
                .artifact.custom_properties()
                .at("accuracy")
                .double_value(),
            0.1);
}

TEST_F(LauncherTest, AFolderInTheWayStaysWhereItIs) {
  MortalStore mortal(*store_);
  mortal.CrashBeforePublish();
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport crashed, Launch(executor, mortal));
  const std::string id = std::to_string(crashed.execution_id);
  dir_.Write("root/Trainer/model/" + id + "/weights", "tampered");

  clock_.Advance(absl::Minutes(5));
  RK_ASSERT_OK_AND_ASSIGN(const StepReport retried, Launch(executor));
  EXPECT_EQ(retried.state, Execution::COMPLETE);
  EXPECT_EQ(executor.calls, 2);
  EXPECT_THAT(Visible("model"),
              UnorderedElementsAre(id, id + "-2-" + StoreId()));
  EXPECT_EQ(*ReadFile(dir_ / ("root/Trainer/model/" + id + "/weights")),
            "tampered");
  EXPECT_TRUE(CheckFiles(retried.outputs[0].artifact, spec_.Files()).usable);
}

// --- who still writes
// ---------------------------------------------------------

// Leaves a checkpoint, and a file of it open behind.
class Straggler {
 public:
  absl::StatusOr<StepResult> operator()(const StepContext& context) {
    file_.open(JoinPath(context.output_dirs.at("model_run"), "events"));
    file_ << "first" << std::flush;
    return absl::UnavailableError("lost");
  }
  void Write() { file_ << "late" << std::flush; }

 private:
  std::ofstream file_;
};

TEST_F(LauncherTest, AnEarlierAttemptThatStillWritesDoesNotSpoilTheArtifact) {
  Straggler straggler;
  FunctionExecutor first(
      [&](const StepContext& context) { return straggler(context); });
  ASSERT_THAT(Launch(first), IsOk());
  FunctionExecutor second(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(second));
  ASSERT_EQ(report.outputs.size(), 2);
  straggler.Write();
  const FilesVerdict files =
      CheckFiles(report.outputs[1].artifact, spec_.Files());
  EXPECT_TRUE(files.usable) << files.reason;
  EXPECT_EQ(*ReadFile(report.outputs[1].artifact.uri() + "/events"), "first");
  EXPECT_THAT(Visible("model_run"), UnorderedElementsAre("1"));
}

TEST_F(LauncherTest, AWorkerThatStillWritesDoesNotSpoilTheArtifact) {
  spec_.has_workers = true;
  Straggler worker;
  FunctionExecutor chief([&](const StepContext& context) {
    EXPECT_FALSE(worker(context).ok());
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(chief));
  ASSERT_EQ(report.outputs.size(), 2);
  worker.Write();
  const FilesVerdict files =
      CheckFiles(report.outputs[1].artifact, spec_.Files());
  EXPECT_TRUE(files.usable) << files.reason;
}

TEST_F(LauncherTest, WhatIsWrittenWhileItIsPublishedIsNotRecorded) {
  std::string folder;
  FunctionExecutor executor([&](const StepContext& context) {
    folder = context.output_dirs.at("model");
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(
      const StepReport report, Launch(executor, *store_, [&](Stage stage) {
        if (stage != Stage::kAnnounced) return;
        EXPECT_THAT(WriteFileAtomically(JoinPath(folder, "weights"), "late"),
                    IsOk());
      }));
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kUnavailable,
                                     HasSubstr("still writes into it")));
  ExpectFailed(report.execution_id, "INVALID_OUTPUT");
  EXPECT_THAT(AllArtifacts(), IsEmpty());
}

TEST_F(LauncherTest, APipeInAnOutputIsRefusedByName) {
  for (const char* key : {"model", "model_run"}) {
    spec_.run_id = key;
    spec_.has_workers = true;
    FunctionExecutor executor([&](const StepContext& context) {
      const std::string pipe = JoinPath(context.output_dirs.at(key), "pipe");
      EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
      return WriteModel(context);
    });
    RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
    EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("/pipe is a named pipe")));
    ExpectFailed(report.execution_id, "INVALID_OUTPUT");
  }
}

TEST_F(LauncherTest, LinksIntoAnOutputLeadThereAfterItIsPublished) {
  FunctionExecutor executor([](const StepContext& context) {
    for (const auto& [key, folder] : context.output_dirs) {
      const std::string file = key == "model" ? "weights" : "ckpt";
      std::filesystem::create_symlink(JoinPath(folder, file),
                                      JoinPath(folder, "latest"));
    }
    return WriteModel(context);
  });
  spec_.has_workers = true;
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  ASSERT_EQ(report.outputs.size(), 2) << report.error;
  for (const auto& output : report.outputs) {
    EXPECT_EQ(ReadFile(output.artifact.uri() + "/latest").value_or(""), "1");
    const FilesVerdict files = CheckFiles(output.artifact, spec_.Files());
    EXPECT_TRUE(files.usable) << files.reason;
  }
}

TEST_F(LauncherTest, ALinkIntoWhatWillBeGoneIsRefused) {
  FunctionExecutor executor([](const StepContext& context) {
    std::filesystem::create_symlink(
        JoinPath(context.output_dirs.at("model_run"), "ckpt"),
        JoinPath(context.output_dirs.at("model"), "ckpt"));
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr("will not be there")));
  EXPECT_THAT(AllArtifacts(), IsEmpty());
}

// --- several stores, one root
// --------------------------------------------------

TEST_F(LauncherTest, StoresThatShareARootKeepEachOthersArtifacts) {
  std::string name;
  FunctionExecutor executor([&](const StepContext& context) {
    for (const auto& [key, folder] : context.output_dirs) {
      EXPECT_THAT(WriteFileAtomically(JoinPath(folder, "name"), name), IsOk());
    }
    return StepResult{};
  });
  std::vector<ml_metadata::Artifact> published;
  for (const char* next : {"a.db", "b.db", "c.db"}) {
    name = next;
    store_ = *OpenSqliteStore(dir_ / name, clock_);
    RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
    EXPECT_EQ(report.execution_id, 1);
    for (const auto& output : report.outputs) {
      published.push_back(output.artifact);
    }
  }
  EXPECT_EQ(published.size(), 6);
  for (const ml_metadata::Artifact& artifact : published) {
    const FilesVerdict files = CheckFiles(artifact, spec_.Files());
    EXPECT_TRUE(files.usable) << artifact.uri() << ": " << files.reason;
  }
}

TEST_F(LauncherTest, AStoreThatTakesThePlaceMeanwhileKeepsIt) {
  const std::unique_ptr<Store> other =
      *OpenSqliteStore(dir_ / "other.db", clock_);
  FunctionExecutor executor(WriteModel);
  StepReport theirs;
  RK_ASSERT_OK_AND_ASSIGN(const StepReport ours,
                          Launch(executor, *store_, [&](Stage stage) {
                            if (stage != Stage::kAnnounced) return;
                            theirs = *Launch(executor, *other);
                          }));
  ASSERT_EQ(ours.outputs.size(), 2) << ours.error;
  ASSERT_EQ(theirs.outputs.size(), 2) << theirs.error;
  for (const StepReport* report : {&ours, &std::as_const(theirs)}) {
    for (const auto& output : report->outputs) {
      const FilesVerdict files = CheckFiles(output.artifact, spec_.Files());
      EXPECT_TRUE(files.usable) << output.artifact.uri() << files.reason;
    }
  }
  EXPECT_NE(ours.outputs[0].artifact.uri(), theirs.outputs[0].artifact.uri());
}

TEST_F(LauncherTest, StoresThatShareARootWriteIntoFoldersOfTheirOwn) {
  const std::unique_ptr<Store> other =
      *OpenSqliteStore(dir_ / "other.db", clock_);
  StepContext theirs;
  FunctionExecutor inner([&](const StepContext& context) {
    theirs = context;
    return WriteModel(context);
  });
  FunctionExecutor outer([&](const StepContext& context) {
    EXPECT_THAT(Launch(inner, *other), IsOk());
    for (const auto& [key, folder] : context.output_dirs) {
      EXPECT_NE(folder, theirs.output_dirs.at(key));
    }
    EXPECT_NE(context.execution_dir, theirs.execution_dir);
    EXPECT_NE(context.attempt_dir, theirs.attempt_dir);
    EXPECT_NE(context.state_dir, theirs.state_dir);
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(outer));
  EXPECT_EQ(report.state, Execution::COMPLETE) << report.error;
}

TEST_F(LauncherTest, ACopyOfTheStoreDoesNotTakeOverWhatTheOriginalWorksOn) {
  std::string adopted;
  FunctionExecutor copys([&](const StepContext& context) {
    adopted = ReadFile(JoinPath(context.output_dirs.at("model_run"), "ckpt"))
                  .value_or("");
    return WriteModel(context);
  });
  FunctionExecutor originals([&](const StepContext& context) {
    EXPECT_THAT(WriteModel(context), IsOk());
    std::filesystem::copy_file(dir_ / "m.db", dir_ / "copy.db");
    std::filesystem::copy_file(dir_ / "m.db-wal", dir_ / "copy.db-wal");
    const auto copy = *OpenSqliteStore(dir_ / "copy.db", clock_);
    clock_.Advance(absl::Minutes(5));
    EXPECT_THAT(Launch(copys, *copy), IsOk());
    clock_.Advance(-absl::Minutes(5));
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(originals));
  ASSERT_EQ(report.state, Execution::COMPLETE) << report.error;
  EXPECT_EQ(adopted, "");
  EXPECT_EQ(copys.calls, 1);
  EXPECT_TRUE(CheckFiles(report.outputs[0].artifact, spec_.Files()).usable);
}

TEST_F(LauncherTest, AnAttemptsFolderOfACopyThatNobodyCanTellIsNotShared) {
  const std::string taken =
      OutputPaths(spec_.pipeline_root, spec_.node_id, StoreId())
          .AttemptDir(/*execution_id=*/1, /*token=*/1);
  ASSERT_THAT(MakeDirs(taken), IsOk());
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr(taken)));
  EXPECT_EQ(executor.calls, 0);
}

class SleeperTest : public LauncherTest,
                    public ::testing::WithParamInterface<Stage> {};

TEST_P(SleeperTest, CannotDisturbWhoeverTookOver) {
  FunctionExecutor winner(WriteModel);
  bool slept = false;
  const auto sleep_past_the_lease = [&](Stage stage) {
    if (stage != GetParam() || std::exchange(slept, true)) return;
    clock_.Advance(absl::Minutes(5));
    EXPECT_THAT(Launch(winner), IsOk());
  };
  FunctionExecutor sleeper(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport loser,
                          Launch(sleeper, *store_, sleep_past_the_lease));
  EXPECT_EQ(loser.error.code(), absl::StatusCode::kAborted) << loser.error;
  EXPECT_EQ(AllArtifacts().size(), 2) << "exactly one model and model_run";
  for (const ml_metadata::Artifact& artifact : AllArtifacts()) {
    const FilesVerdict files = CheckFiles(artifact, spec_.Files());
    EXPECT_TRUE(files.usable) << files.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryBoundary, SleeperTest,
                         ::testing::Values(Stage::kClaimed, Stage::kExecuted,
                                           Stage::kAnnounced, Stage::kRenamed),
                         [](const auto& test) {
                           return std::string(StageName(test.param));
                         });

TEST_F(LauncherTest, AStepThatLostItsClaimNeverPublishes) {
  FunctionExecutor winner(WriteModel);
  FunctionExecutor sleeper([&](const StepContext& context) {
    clock_.Advance(absl::Minutes(5));     // It sleeps past its lease,
    EXPECT_THAT(Launch(winner), IsOk());  // and another one takes over.
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport loser, Launch(sleeper));
  EXPECT_EQ(loser.state, Execution::FAILED);
  EXPECT_EQ(loser.error.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(AllArtifacts().size(), 2) << "exactly one model and model_run";
  EXPECT_EQ(GetExecution(loser.execution_id).last_known_state(),
            Execution::COMPLETE);
}

TEST_F(LauncherTest, AHeldClaimIsRefused) {
  FunctionExecutor inner(WriteModel);
  absl::Status refused;
  FunctionExecutor outer([&](const StepContext& context) {
    refused = Launch(inner).status();
    return WriteModel(context);
  });
  ASSERT_THAT(Launch(outer), IsOk());
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(inner.calls, 0);
}

TEST_F(LauncherTest, AMissingRequiredInputIsRecorded) {
  spec_.inputs = {{"examples", "Examples", *ParseArtifactRef("latest")}};
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_THAT(
      report.error,
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr("input 'examples': pipeline 'p' has no usable")));
  EXPECT_EQ(executor.calls, 0);
  ExpectFailed(report.execution_id, "INPUT_NOT_FOUND");
}

TEST_F(LauncherTest, AnUnwritableRootIsRecorded) {
  dir_.Write("root", "a file, not a folder");
  FunctionExecutor executor(WriteModel);
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(executor));
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr(dir_ / "root")));
  ExpectFailed(report.execution_id, "OUTPUT_UNWRITABLE");
}

TEST_F(LauncherTest, ARunIdOfAnotherPipelineIsRefused) {
  FunctionExecutor executor(WriteModel);
  ASSERT_THAT(Launch(executor), IsOk());
  spec_.pipeline = "q";
  EXPECT_THAT(Launch(executor),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("'run-1' belongs to pipeline 'p'")));
}

// --- what changes between two attempts ---------------------------------------

TEST_F(LauncherTest, WhatAnAttemptWithOtherParametersLeftIsNotPublished) {
  MortalStore mortal(*store_);
  mortal.CrashBeforePublish();
  FunctionExecutor executor(WriteModel);
  ASSERT_THAT(Launch(executor, mortal), IsOk());

  clock_.Advance(absl::Minutes(5));
  spec_.parameters["train_args"] = StringValue("{\"num_steps\": 2}");
  RK_ASSERT_OK_AND_ASSIGN(const StepReport retried, Launch(executor));
  EXPECT_EQ(retried.state, Execution::COMPLETE);
  EXPECT_EQ(executor.calls, 2) << "it is other work";
}

TEST_F(LauncherTest, AnAttemptWithOtherParametersFindsNoStateOfTheOneBefore) {
  FunctionExecutor fails([](const StepContext& context) {
    EXPECT_THAT(WriteFileAtomically(
                    JoinPath(context.output_dirs.at("model_run"), "ckpt"), "1"),
                IsOk());
    return absl::UnavailableError("lost");
  });
  ASSERT_THAT(Launch(fails), IsOk());

  const auto finds = [&] {
    bool found = false;
    FunctionExecutor looks([&](const StepContext& context) {
      found = PathExists(JoinPath(context.output_dirs.at("model_run"), "ckpt"));
      return absl::UnavailableError("lost");
    });
    EXPECT_THAT(Launch(looks), IsOk());
    return found;
  };
  spec_.parameters["train_args"] = StringValue("{\"num_steps\": 2}");
  EXPECT_FALSE(finds());
  spec_.parameters["train_args"] = StringValue("{}");
  EXPECT_TRUE(finds()) << "the first one's work goes on";
}

TEST_F(LauncherTest, WhatADeletedExecutionLeftIsNotContinued) {
  FunctionExecutor fails([](const StepContext& context) {
    EXPECT_TRUE(IsEmptyFolder(context.output_dirs.at("model_run")));
    EXPECT_TRUE(IsEmptyFolder(context.state_dir));
    EXPECT_THAT(WriteFileAtomically(
                    JoinPath(context.output_dirs.at("model_run"), "ckpt"), "1"),
                IsOk());
    EXPECT_THAT(WriteFileAtomically(JoinPath(context.state_dir, "note"), "1"),
                IsOk());
    return absl::InternalError("crashed");
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport first, Launch(fails));
  v1::DeleteRequest request;
  request.add_execution_ids(first.execution_id);
  ASSERT_THAT(store_->steps().Delete(request), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const StepReport second, Launch(fails));
  EXPECT_NE(second.execution_id, first.execution_id);
  EXPECT_THAT(second.error, StatusIs(absl::StatusCode::kInternal));
}

TEST_F(LauncherTest, AnswersOfAnEarlierAttemptsChildReachNobody) {
  std::string first;
  FunctionExecutor loses([&](const StepContext& context) {
    first = context.attempt_dir;
    return absl::UnavailableError("lost");
  });
  ASSERT_THAT(Launch(loses), IsOk());
  FunctionExecutor again([&](const StepContext& context) {
    EXPECT_THAT(
        WriteFileAtomically(JoinPath(first, "executor_output.json"), "late"),
        IsOk());
    EXPECT_FALSE(
        PathExists(JoinPath(context.attempt_dir, "executor_output.json")));
    return WriteModel(context);
  });
  RK_ASSERT_OK_AND_ASSIGN(const StepReport report, Launch(again));
  EXPECT_EQ(report.state, Execution::COMPLETE);
}

}  // namespace
}  // namespace rekindle
