#include "operator/local/run_view.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "operator/engine/engine.h"
#include "operator/local/status_json.h"
#include "operator/view/tree_text.h"
#include "operator/view/workflow_object.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;

constexpr char kWorkflow[] = R"yaml(
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  onExit: step
  templates:
    - name: main
      dag:
        tasks:
          - {name: train, template: retried}
          - {name: push, template: step, withItems: [eu, us], dependencies: [train]}
    - {name: step, container: {image: x, command: [c]}}
    - name: retried
      retryStrategy: {limit: 1}
      container: {image: x, command: [c]}
)yaml";

class RunViewTest : public ::testing::Test {
 protected:
  static Workflow Load() {
    const LoadedWorkflows loaded = LoadWorkflows(kWorkflow, "w.yaml");
    EXPECT_TRUE(ToStatus(loaded.findings).ok()) << ToStatus(loaded.findings);
    return loaded.workflows.at(0);
  }

  static RunInfo Info() {
    RunInfo info;
    info.name = "w";
    return info;
  }

  // The pods that start now end after two seconds, as `phase`.
  void RunPods(Phase phase) {
    const Decision decision = engine_.Decide(now_);
    now_ += absl::Seconds(2);
    for (const PodTask& task : decision.start) {
      engine_.PodEnded(task.node_id, {phase, "", {}}, now_);
    }
  }

  absl::Time now_ = absl::FromUnixSeconds(1000);
  const Workflow workflow_ = Load();
  const TemplateLibrary library_;
  Engine engine_{workflow_, library_, Info()};
};

TEST_F(RunViewTest, ARunIsDrawnAsItsObjectInAClusterWouldBe) {
  RunPods(Phase::kFailed);
  RunPods(Phase::kSucceeded);
  RunPods(Phase::kSucceeded);
  engine_.Decide(now_);
  const std::vector<std::string> lines = TreeLines(ShowRun(engine_), now_, {});
  EXPECT_THAT(
      lines,
      ElementsAre(
          "w  Running  6s  4/5 done", "STEP              TEMPLATE  DURATION",
          "✔ w               main      6s", "├─✔ train         retried   4s",
          "│ ├─✖ train(0)    retried   2s", "│ └─✔ train(1)    retried   2s",
          "└─✔ push          step      2s", "  ├─✔ push(0:eu)  step      2s",
          "  └─✔ push(1:us)  step      2s", "◷ w.onExit        step      0s"));
  EXPECT_EQ(lines, TreeLines(ShowObject(ToWorkflowJson(workflow_, engine_)),
                             now_, {}));
}

}  // namespace
}  // namespace rekindle::argo
