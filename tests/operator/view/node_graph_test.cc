#include "operator/view/node_graph.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/view/live_view.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// As Argo's controller writes it: a DAG with a retried task, a loop and an exit
// handler.
json AWorkflow() {
  return json::parse(R"json({
    "metadata": {"name": "w"},
    "status": {"phase": "Running", "startedAt": "2026-01-01T00:00:00Z",
      "progress": "2/4",
      "nodes": {
        "w": {"id": "w", "name": "w", "displayName": "w", "type": "DAG",
          "templateName": "main", "phase": "Running",
          "startedAt": "2026-01-01T00:00:00Z", "children": ["r"]},
        "r": {"id": "r", "name": "w.train", "displayName": "train",
          "type": "Retry", "phase": "Succeeded", "boundaryID": "w",
          "templateRef": {"name": "rekindle", "template": "trainer"},
          "startedAt": "2026-01-01T00:00:01Z",
          "finishedAt": "2026-01-01T00:01:06Z", "children": ["r0", "r1", "g"]},
        "r0": {"id": "r0", "name": "w.train(0)", "displayName": "train(0)",
          "type": "Pod", "phase": "Failed", "boundaryID": "w",
          "message": "exit code 75", "startedAt": "2026-01-01T00:00:01Z",
          "finishedAt": "2026-01-01T00:00:31Z"},
        "r1": {"id": "r1", "name": "w.train(1)", "displayName": "train(1)",
          "type": "Pod", "phase": "Succeeded", "boundaryID": "w",
          "startedAt": "2026-01-01T00:00:32Z",
          "finishedAt": "2026-01-01T00:01:06Z"},
        "g": {"id": "g", "name": "w.push", "displayName": "push",
          "type": "TaskGroup", "phase": "Running", "boundaryID": "w",
          "startedAt": "2026-01-01T00:01:07Z", "children": ["g0"]},
        "g0": {"id": "g0", "name": "w.push(0:eu)", "displayName": "push(0:eu)",
          "type": "Pod", "phase": "Running", "boundaryID": "w",
          "startedAt": "2026-01-01T00:01:07Z", "progress": "3/10"},
        "x": {"id": "x", "name": "w.onExit", "displayName": "w.onExit",
          "type": "Pod", "phase": "Pending"}
      }}})json");
}

TEST(NodeGraphTest, PartsAreBelowTheirRetryOrLoop) {
  const absl::Time now =
      absl::FromDateTime(2026, 1, 1, 0, 1, 10, absl::UTCTimeZone());
  EXPECT_EQ(GraphText(AWorkflow(), {false, now}),
            "w  Running  1m10s  2/4 done\n"
            "STEP              TEMPLATE          DURATION  MESSAGE\n"
            "● w               main              1m10s\n"
            "├─✔ train         rekindle/trainer  1m05s\n"
            "│ ├─✖ train(0)                      30s       exit code 75\n"
            "│ └─✔ train(1)                      34s\n"
            "└─● push                            3s\n"
            "  └─● push(0:eu)                    3s        3/10\n"
            "◷ w.onExit\n");
}

TEST(NodeGraphTest, AWorkflowThatNobodyHasSeenYetIsPending) {
  EXPECT_EQ(GraphText({{"metadata", {{"name", "w"}}}}, {}), "w  Pending\n");
}

TEST(LiveViewTest, WithoutATerminalEachChangeIsALine) {
  std::ostringstream out;
  LiveView view(out, {});
  json workflow = AWorkflow();
  view.Show(workflow, absl::UnixEpoch());
  view.Show(workflow, absl::UnixEpoch());
  EXPECT_EQ(out.str(),
            "● w  Running\n"
            "✔ train  Succeeded\n"
            "✖ train(0)  Failed  exit code 75\n"
            "✔ train(1)  Succeeded\n"
            "● push  Running\n"
            "● push(0:eu)  Running  3/10\n");
}

TEST(LiveViewTest, OnATerminalTheGraphIsDrawnOverItself) {
  std::ostringstream out;
  LiveView view(out, {true, false, 5, 20});
  view.Show(AWorkflow(), absl::UnixEpoch());
  view.Show(AWorkflow(), absl::UnixEpoch());
  // Four lines of five fit, cut at the edge.
  EXPECT_THAT(out.str(), HasSubstr("\n◷ w.onExit\n\033[4A\r\033[Jw  Running"));
}

}  // namespace
}  // namespace rekindle::argo
