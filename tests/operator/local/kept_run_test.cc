#include "operator/local/kept_run.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;

std::string WorkflowNamed(const std::string& metadata) {
  return "apiVersion: argoproj.io/v1alpha1\n"
         "kind: Workflow\n"
         "metadata: " +
         metadata +
         "\n"
         "spec:\n"
         "  entrypoint: main\n"
         "  arguments: {parameters: [{name: steps, value: '1'}]}\n"
         "  templates:\n"
         "    - {name: main, container: {image: x, command: [c]}}\n";
}

class KeptRunTest : public ::testing::Test {
 protected:
  absl::StatusOr<KeptRun> Plan(const std::string& metadata,
                               const std::string& name = "") const {
    RunRequest request;
    request.file = dir_.Write("w.yaml", WorkflowNamed(metadata));
    request.parameters["steps"] = "7";
    return PlanNewRun(request, name, runs_);
  }

  const TempDir dir_;
  const std::string runs_ = dir_ / "runs";
};

TEST_F(KeptRunTest, AFolderHasANameThatNoOtherRunHas) {
  RK_ASSERT_OK_AND_ASSIGN(const KeptRun own, Plan("{name: train}"));
  EXPECT_EQ(own.info.name, "train");
  EXPECT_THAT(own.folder, MatchesRegex(".*/runs/train-[a-z0-9]{5}"));

  RK_ASSERT_OK_AND_ASSIGN(const KeptRun made, Plan("{generateName: train-}"));
  EXPECT_EQ(JoinPath(runs_, made.info.name), made.folder);

  RK_ASSERT_OK_AND_ASSIGN(const KeptRun wanted,
                          Plan("{generateName: train-}", "monday"));
  EXPECT_EQ(wanted.info.name, "monday");
  EXPECT_THAT(wanted.folder, MatchesRegex(".*/runs/monday-[a-z0-9]{5}"));
}

TEST_F(KeptRunTest, ANameThatIsAPathIsRefused) {
  for (const char* metadata :
       {"{name: ../..}", "{generateName: a/b-}", "{name: A}", "{}"}) {
    EXPECT_THAT(Plan(metadata),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ame")))
        << metadata;
  }
  EXPECT_THAT(Plan("{name: train}", "../../x"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'../../x' must have only")));
}

TEST_F(KeptRunTest, APlanLeavesNothingOnDisk) {
  ASSERT_THAT(Plan("{name: train}"), IsOk());
  EXPECT_FALSE(PathExists(runs_));
}

TEST_F(KeptRunTest, ARunGoesOnWithWhatItWasStartedWith) {
  RK_ASSERT_OK_AND_ASSIGN(KeptRun first, Plan("{name: train, namespace: ml}"));
  ASSERT_THAT(Keep(first), IsOk());
  dir_.Write("w.yaml", "something else by now");

  RK_ASSERT_OK_AND_ASSIGN(const KeptRun again, OpenKeptRun(first.folder, {}));
  EXPECT_EQ(again.info.uid, first.info.uid);
  EXPECT_EQ(again.info.namespace_name, "ml");
  EXPECT_EQ(again.plan->workflow.name, "train");
  EXPECT_THAT(again.request.parameters, ElementsAre(Pair("steps", "7")));
}

TEST_F(KeptRunTest, ARunMayGoOnWithAMendedWorkflow) {
  RK_ASSERT_OK_AND_ASSIGN(KeptRun first, Plan("{name: train}"));
  ASSERT_THAT(Keep(first), IsOk());

  const std::string mended =
      dir_.Write("m.yaml", WorkflowNamed("{name: mended}"));
  RK_ASSERT_OK_AND_ASSIGN(const KeptRun again,
                          OpenKeptRun(first.folder, {mended, false}));
  EXPECT_EQ(again.plan->workflow.name, "mended");
  EXPECT_EQ(again.info.name, "train");
}

TEST_F(KeptRunTest, ADamagedJournalIsASentenceAndNotACrash) {
  for (const std::string& journal : std::vector<std::string>{
           R"({"name": 7})", R"({"name": "w", "parameters": ["a"]})",
           "{\"name\": \"w\"}\n{\"node\": \"n\", \"outputs\": 3}\n",
           "{\"name\": \"w\"}\n{\"node\": 3, \"outputs\": {}}\n", "[]", ""}) {
    dir_.Write("runs/damaged/journal.jsonl", journal);
    EXPECT_THAT(OpenKeptRun(runs_ + "/damaged", {}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(runs_ + "/damaged")))
        << journal;
  }
}

}  // namespace
}  // namespace rekindle::argo
