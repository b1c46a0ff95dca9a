#include "component/launch/reaper.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
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
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ReaperTest : public ::testing::Test {
 protected:
  ReaperTest() {
    options_.folder_age = absl::ZeroDuration();
    options_.roots = {dir_ / "root"};
  }

  v1::ClaimResponse Claim(const std::string& run,
                          const std::string& pipeline = "p") {
    v1::ClaimRequest request;
    request.set_external_id(run + "/Trainer");
    request.mutable_execution_type()->set_name("Trainer");
    request.set_lease_millis(30'000);
    request.set_owner("host/7");
    request.set_node_dir(node_dir_);
    AddContext("pipeline", pipeline, request);
    AddContext("pipeline_run", run, request);
    return *store_->steps().Claim(request);
  }

  static void AddContext(const std::string& type, const std::string& name,
                         v1::ClaimRequest& request) {
    v1::ContextOfStep& context = *request.add_contexts();
    context.mutable_type()->set_name(type);
    context.set_name(name);
    context.set_parent_index(-1);
  }

  void Publish(const v1::ClaimResponse& claim) {
    v1::PublishRequest request;
    request.set_execution_id(claim.execution_id());
    request.set_token(claim.token());
    ASSERT_THAT(store_->steps().Publish(request), IsOk());
  }

  ReapReport Reaped() {
    absl::StatusOr<ReapReport> report = Reap(options_, *store_);
    EXPECT_THAT(report, IsOk());
    return *std::move(report);
  }

  std::vector<int64_t> Closed() {
    std::vector<int64_t> ids;
    for (const auto& execution : Reaped().closed) ids.push_back(execution.id);
    return ids;
  }

  Execution Get(int64_t id) {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    return store_->metadata().GetExecutionsByID(request)->executions(0);
  }

  void EndLeases() { clock_.Advance(absl::Minutes(1)); }

  // Makes a folder with a file in it.
  std::string Fill(const std::string& folder) {
    EXPECT_THAT(MakeDirs(folder), IsOk());
    EXPECT_THAT(WriteFileAtomically(JoinPath(folder, "file"), "x"), IsOk());
    return folder;
  }

  TempDir dir_;
  FakeClock clock_{absl::Now()};
  std::unique_ptr<Store> store_ = *OpenSqliteStore(dir_ / "m.db", clock_);
  const std::string store_id_ = store_->steps().Identify({})->store_id();
  const OutputPaths paths_{dir_ / "root", "Trainer", store_id_};
  std::string node_dir_ = paths_.NodeDir();  // as the next claim says
  ReapOptions options_;
};

TEST_F(ReaperTest, ClosesWhatIsRunningPastItsLeaseAndNothingElse) {
  const int64_t dead = Claim("dead").execution_id();
  EndLeases();
  const int64_t alive = Claim("alive").execution_id();
  const ReapReport report = Reaped();
  ASSERT_THAT(report.closed, SizeIs(1));
  EXPECT_EQ(report.closed[0].external_id, "dead/Trainer");
  EXPECT_EQ(report.still_running, 1);
  EXPECT_EQ(Get(dead).last_known_state(), Execution::FAILED);
  EXPECT_EQ(CustomString(Get(dead), "failure_reason"), "LAUNCHER_LOST");
  EXPECT_THAT(CustomString(Get(dead), "__execution_result__"),
              HasSubstr("host/7"));
  EXPECT_EQ(Get(alive).last_known_state(), Execution::RUNNING);
  EXPECT_THAT(Closed(), IsEmpty()) << "a second time there is nothing to do";
}

TEST_F(ReaperTest, ADryRunSaysItAndDoesNothing) {
  const v1::ClaimResponse dead = Claim("dead");
  const std::string staging = Fill(paths_.Staging("model", 1, 1));
  EndLeases();
  options_.dry_run = true;
  const ReapReport report = Reaped();
  EXPECT_THAT(report.closed, SizeIs(1));
  EXPECT_THAT(report.removed, ElementsAre(staging));
  EXPECT_EQ(Get(dead.execution_id()).last_known_state(), Execution::RUNNING);
  EXPECT_TRUE(PathExists(staging));
}

TEST_F(ReaperTest, TellsWhatCanStillBeFound) {
  const int64_t id = Claim("dead").execution_id();
  const std::string folder = paths_.ExecutionDir(id);
  const std::string attempt = paths_.AttemptDir(id, 1);
  ASSERT_THAT(MakeDirs(attempt), IsOk());
  ASSERT_THAT(
      WriteFileAtomically(JoinPath(folder, "log.txt"), "loading\nTraceback\n"),
      IsOk());
  ASSERT_THAT(WriteFileAtomically(
                  JoinPath(attempt, "executor_output.json"),
                  R"({"error": {"code": 3, "message": "the label is missing"},
              "train_complete": false, "global_step": 0, "metrics": {},
              "environment": {}})"),
              IsOk());
  EndLeases();
  EXPECT_THAT(Reaped().closed[0].message, HasSubstr("the label is missing"));
  EXPECT_EQ(CustomString(Get(id), "failure_log_tail"), "loading\nTraceback\n");
}

TEST_F(ReaperTest, TakesTheOrchestratorsWord) {
  const int64_t id = Claim("dead").execution_id();
  EndLeases();
  options_.previous_failure = "main: OOMKilled (exit code 137)";
  EXPECT_THAT(Reaped().closed[0].message, HasSubstr("OOMKilled"));
  EXPECT_EQ(CustomString(Get(id), "failure_reason"), "OUT_OF_MEMORY");
}

TEST_F(ReaperTest, KeepsToThePipelineAndTheRun) {
  const int64_t p1 = Claim("1", "p").execution_id();
  const int64_t p2 = Claim("2", "p").execution_id();
  const int64_t q3 = Claim("3", "q").execution_id();
  EndLeases();
  options_.pipeline = "p";
  options_.run_id = "2";
  EXPECT_THAT(Closed(), ElementsAre(p2));
  options_.run_id = "";
  EXPECT_THAT(Closed(), ElementsAre(p1));
  options_.pipeline = "";
  EXPECT_THAT(Closed(), ElementsAre(q3));
}

TEST_F(ReaperTest, LeavesOtherWritersAloneUnlessTheyAreOldAndItIsAsked) {
  ml_metadata::PutExecutionTypeRequest type;
  type.mutable_execution_type()->set_name("tfx.Trainer");
  RK_ASSERT_OK_AND_ASSIGN(const auto put_type,
                          store_->metadata().PutExecutionType(type));
  ml_metadata::PutExecutionsRequest put;
  put.add_executions()->set_type_id(put_type.type_id());
  put.mutable_executions(0)->set_last_known_state(Execution::RUNNING);
  clock_.Advance(-absl::Hours(2));
  RK_ASSERT_OK_AND_ASSIGN(const auto stored,
                          store_->metadata().PutExecutions(put));
  clock_.Advance(absl::Hours(2));

  EXPECT_THAT(Closed(), IsEmpty());
  options_.older_than = absl::Hours(3);
  EXPECT_THAT(Closed(), IsEmpty());
  options_.older_than = absl::Hours(1);
  EXPECT_THAT(Closed(), ElementsAre(stored.execution_ids(0)));
}

TEST_F(ReaperTest, RemovesWhatEndedAttemptsLeft) {
  const v1::ClaimResponse done = Claim("done");
  Publish(done);
  const std::string staging =
      Fill(paths_.Staging("model", done.execution_id(), 1));
  const std::string state =
      Fill(paths_.StateDir("done/Trainer", done.execution_id()));
  const std::string published =
      Fill(paths_.Final("model", done.execution_id()));
  EXPECT_THAT(Reaped().removed, UnorderedElementsAre(staging, state));
  EXPECT_FALSE(PathExists(staging));
  EXPECT_TRUE(PathExists(published));
}

TEST_F(ReaperTest, KeepsWhatSomebodyMayStillNeed) {
  const v1::ClaimResponse alive = Claim("alive");
  const std::string in_use =
      Fill(paths_.Staging("model", alive.execution_id(), 1));
  const std::string state =
      Fill(paths_.StateDir("alive/Trainer", alive.execution_id()));
  const std::string of_nobody = Fill(paths_.Staging("model", 999, 1));
  EXPECT_THAT(Reaped().removed, IsEmpty());

  EndLeases();  // It dies: its staging is of no use, its state is for a retry.
  EXPECT_THAT(Reaped().removed, ElementsAre(in_use));
  EXPECT_TRUE(PathExists(state));
  EXPECT_TRUE(PathExists(of_nobody));
}

TEST_F(ReaperTest, KeepsWhatAnotherStoreWithTheSameIdsHas) {
  const v1::ClaimResponse done = Claim("done");
  Publish(done);
  const OutputPaths others(dir_ / "root", "Trainer", "other");
  const std::vector<std::string> theirs = {
      Fill(others.Staging("model", done.execution_id(), 1)),
      Fill(others.OwnFinal("model", done.execution_id(), 1)),
      Fill(others.StateDir("done/Trainer", done.execution_id()))};
  EXPECT_THAT(Reaped().removed, IsEmpty());
  for (const std::string& folder : theirs) EXPECT_TRUE(PathExists(folder));
}

TEST_F(ReaperTest, ACopyOfTheStoreRemovesNothingOfTheOriginal) {
  const v1::ClaimResponse dead = Claim("dead");
  const std::string staging =
      Fill(paths_.Staging("model", dead.execution_id(), 1));
  const std::string state =
      Fill(paths_.StateDir("dead/Trainer", dead.execution_id()));
  store_.reset();
  std::filesystem::copy_file(dir_ / "m.db", dir_ / "copy.db");
  store_ = *OpenSqliteStore(dir_ / "copy.db", clock_);
  EndLeases();
  const ReapReport report = Reaped();
  EXPECT_THAT(report.closed, SizeIs(1)) << "in the copy";
  EXPECT_THAT(report.removed, IsEmpty());
  EXPECT_TRUE(PathExists(staging));
  EXPECT_TRUE(PathExists(state));
}

TEST_F(ReaperTest, KeepsFoldersThatChangedLately) {
  const v1::ClaimResponse done = Claim("done");
  Publish(done);
  const std::string staging =
      Fill(paths_.Staging("model", done.execution_id(), 1));
  options_.folder_age = absl::Hours(1);
  EXPECT_THAT(Reaped().removed, IsEmpty());
  EXPECT_TRUE(PathExists(staging));
}

// --- what a record must not make it do ---------------------------------------

TEST_F(ReaperTest, ClosesWhatWorkedElsewhereAndTouchesNothingThere) {
  const OutputPaths elsewhere(dir_ / "elsewhere", "Trainer", store_id_);
  for (const std::string& node_dir :
       {elsewhere.NodeDir(), dir_ / "root/../elsewhere/Trainer"}) {
    node_dir_ = node_dir;
    const int64_t id = Claim(node_dir).execution_id();
    const std::string staging = Fill(elsewhere.Staging("model", id, 1));
    const std::string log =
        JoinPath(Fill(elsewhere.ExecutionDir(id)), "log.txt");
    ASSERT_THAT(WriteFileAtomically(log, "a secret\n"), IsOk());
    EndLeases();
    const ReapReport report = Reaped();
    EXPECT_THAT(report.closed, SizeIs(1));
    EXPECT_THAT(report.removed, IsEmpty());
    EXPECT_THAT(report.outside, Contains(node_dir));
    EXPECT_TRUE(PathExists(staging));
    EXPECT_EQ(CustomString(Get(id), "failure_log_tail"), "");
  }
}

TEST_F(ReaperTest, FollowsNoLinkOutOfTheRoot) {
  const OutputPaths elsewhere(dir_ / "elsewhere", "Trainer", store_id_);
  const v1::ClaimResponse done = Claim("done");
  Publish(done);
  const std::string staging =
      Fill(elsewhere.Staging("model", done.execution_id(), 1));
  const std::string state =
      Fill(elsewhere.StateDir("done/Trainer", done.execution_id()));
  ASSERT_THAT(MakeDirs(paths_.NodeDir()), IsOk());
  for (const char* name : {"model", ".system"}) {
    std::filesystem::create_directory_symlink(
        JoinPath(elsewhere.NodeDir(), name), JoinPath(paths_.NodeDir(), name));
  }
  EXPECT_THAT(Reaped().removed, IsEmpty());
  EXPECT_TRUE(PathExists(staging));
  EXPECT_TRUE(PathExists(state));
}

TEST_F(ReaperTest, ReadsNoLogThatIsALinkOutOfTheRootOrAPipe) {
  const std::string secret = dir_.Write("secret", "a secret\n");
  const int64_t linked = Claim("linked").execution_id();
  const int64_t pipe = Claim("pipe").execution_id();
  const std::string linked_dir = Fill(paths_.ExecutionDir(linked));
  std::filesystem::create_symlink(secret, JoinPath(linked_dir, "log.txt"));
  const std::string pipe_dir = Fill(paths_.ExecutionDir(pipe));
  ASSERT_EQ(mkfifo(JoinPath(pipe_dir, "log.txt").c_str(), 0600), 0);
  EndLeases();
  EXPECT_THAT(Closed(), ElementsAre(linked, pipe));
  EXPECT_EQ(CustomString(Get(linked), "failure_log_tail"), "");
}

}  // namespace
}  // namespace rekindle
