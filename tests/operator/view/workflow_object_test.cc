#include "operator/view/workflow_object.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/view/tree_text.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

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

TEST(WorkflowObjectTest, IsShownWithAllThatArgoWrites) {
  const absl::Time now =
      absl::FromDateTime(2026, 1, 1, 0, 1, 10, absl::UTCTimeZone());
  EXPECT_THAT(
      TreeLines(ShowObject(AWorkflow()), now, {}),
      ElementsAre("w  Running  1m10s  2/4 done",
                  "STEP              TEMPLATE          DURATION  MESSAGE",
                  "● w               main              1m10s",
                  "├─✔ train         rekindle/trainer  1m05s",
                  "│ ├─✖ train(0)                      30s       exit code 75",
                  "│ └─✔ train(1)                      34s",
                  "└─● push                            3s",
                  "  └─● push(0:eu)                    3s        3/10",
                  "◷ w.onExit"));
}

TEST(WorkflowObjectTest, OneThatNobodyHasSeenYetIsPending) {
  const ShownWorkflow shown = ShowObject({{"metadata", {{"name", "w"}}}});
  EXPECT_EQ(shown.phase, "Pending");
  EXPECT_TRUE(shown.nodes.empty());
}

TEST(WorkflowObjectTest, ANodeWithoutAnIdIsKnownByItsKey) {
  const json workflow = json::parse(R"json({
    "metadata": {"name": "w"},
    "status": {"phase": "Running", "nodes": {
      "w": {"displayName": "w", "type": "DAG", "phase": "Running"},
      "a": {"displayName": "a", "type": "Pod", "phase": "Running",
            "boundaryID": "w"}}}})json");
  EXPECT_THAT(TreeLines(ShowObject(workflow), absl::UnixEpoch(), {}),
              ElementsAre("w  Running", "STEP", "● w", "└─● a"));
}

TEST(WorkflowObjectTest, WhatIsNotAnObjectIsNotThere) {
  for (const char* text :
       {R"(null)", R"({"metadata": null, "status": null})",
        R"({"metadata": "w", "status": []})", R"({"status": {"nodes": null}})",
        R"({"status": {"nodes": [1]}})",
        R"({"status": {"nodes": {"a": null, "b": "c"}}})"}) {
    const ShownWorkflow shown = ShowObject(json::parse(text));
    EXPECT_EQ(shown.name, "") << text;
    EXPECT_EQ(shown.phase, "Pending") << text;
    EXPECT_TRUE(shown.nodes.empty()) << text;
  }
  const ShownWorkflow shown = ShowObject(
      json::parse(R"({"status": {"nodes": {"a": {"templateRef": null}}}})"));
  EXPECT_EQ(shown.nodes.size(), 1);
}

}  // namespace
}  // namespace rekindle::argo
