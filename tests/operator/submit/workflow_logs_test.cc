#include "operator/submit/workflow_logs.h"

#include <httplib.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The pod "w-NAME" of workflow w, which has run the node w.NAME to its end.
json PodOf(const std::string& name) {
  return {
      {"metadata",
       {{"name", "w-" + name},
        {"namespace", "ml"},
        {"labels", {{"workflows.argoproj.io/workflow", "w"}}},
        {"annotations", {{"workflows.argoproj.io/node-name", "w." + name}}}}},
      {"status", {{"phase", "Succeeded"}}}};
}

json Workflow(const json& status) {
  return {{"metadata", {{"name", "w"}, {"namespace", "ml"}, {"uid", "u"}}},
          {"status", status}};
}

json Running() { return Workflow({{"phase", "Running"}}); }
json Succeeded() {
  return Workflow(
      {{"phase", "Succeeded"}, {"finishedAt", "2026-01-01T00:00:00Z"}});
}

// A cluster in which workflow w succeeds at the first look, unless it never
// ends. Its pods are listed; those without a log have vanished since.
class WorkflowLogsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.http().Get(".*/workflows", [this](const httplib::Request&,
                                              httplib::Response& response) {
      const json now = never_ends_ ? Running() : Succeeded();
      Answer({{"metadata", {{"resourceVersion", ""}}}, {"items", {now}}},
             response);
    });
    server_.http().Get(".*/pods", [this](const httplib::Request&,
                                         httplib::Response& response) {
      Answer({{"items", pods_}}, response);
    });
    server_.http().Get(
        ".*/pods/([^/]*)(/log)?",
        [this](const httplib::Request& request, httplib::Response& response) {
          AnswerPod(request.matches[1], request.matches[2].matched, response);
        });
    server_.Start();
    client_ = MakeHttpKubeClient(server_.Config()).value();
  }

  static void Answer(const json& object, httplib::Response& response) {
    response.set_content(object.dump(), "application/json");
  }

  void AnswerPod(const std::string& pod, bool log,
                 httplib::Response& response) {
    const auto found = logs_.find(pod);
    if (forbidden_) {
      response.status = 403;
      response.set_content(StatusBody(403, "Forbidden", "not for you", "{}"),
                           "application/json");
    } else if (found == logs_.end()) {
      response.status = 404;
      response.set_content(
          StatusBody(404, "NotFound", "gone",
                     absl::StrCat(R"({"kind":"pods","name":")", pod, R"("})")),
          "application/json");
    } else if (log) {
      response.set_content(found->second, "text/plain");
    } else {
      Answer({{"status", {{"phase", "Succeeded"}}}}, response);
    }
  }

  // What is said, "NODE: LINE", is in `lines_`.
  absl::Status Read(const json& workflow, WorkflowLogOptions options = {}) {
    options.follow.backoff.sleep = [](absl::Duration) { return true; };
    return ReadWorkflowLogs(
        workflow, options, *client_,
        [this](const std::string& node, absl::string_view line) {
          lines_.push_back(absl::StrCat(node, ": ", line));
        });
  }
  static WorkflowLogOptions Following() {
    WorkflowLogOptions options;
    options.log.follow = true;
    return options;
  }

  ApiServer server_;
  std::unique_ptr<KubeClient> client_;
  json pods_ = json::array();
  std::map<std::string, std::string> logs_;
  bool never_ends_ = false;
  bool forbidden_ = false;  // to read logs
  std::vector<std::string> lines_;
};

TEST_F(WorkflowLogsTest, FollowingPassesOverAPodThatVanished) {
  pods_ = {PodOf("gone")};
  EXPECT_THAT(Read(Running(), Following()), IsOk());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(WorkflowLogsTest, ThePodsThatAreLeftAreReadAllTheSame) {
  pods_ = {PodOf("gone"), PodOf("train")};
  logs_["w-train"] = "2026-01-01T00:00:00Z step 1\n";
  EXPECT_THAT(Read(Running(), Following()), IsOk());
  EXPECT_THAT(lines_, ElementsAre("train: step 1"));
  EXPECT_THAT(Read(Succeeded()), IsOk());
  EXPECT_THAT(lines_, ElementsAre("train: step 1", "train: step 1"));
}

TEST_F(WorkflowLogsTest, WhatTheExecutorSaysIsLeftOut) {
  pods_ = {PodOf("train")};
  logs_["w-train"] =
      "2026-01-01T00:00:00Z time=\"0\" level=info msg=x argo=true\n"
      "2026-01-01T00:00:01Z step 1\n";
  EXPECT_THAT(Read(Succeeded()), IsOk());
  EXPECT_THAT(lines_, ElementsAre("train: step 1"));
}

TEST_F(WorkflowLogsTest, OnePodIsFoundByItsNodesName) {
  pods_ = {PodOf("train"), PodOf("push")};
  logs_ = {{"w-train", "2026-01-01T00:00:00Z a\n"},
           {"w-push", "2026-01-01T00:00:00Z b\n"}};
  WorkflowLogOptions options;
  options.pod = "push";
  EXPECT_THAT(Read(Succeeded(), options), IsOk());
  EXPECT_THAT(lines_, ElementsAre("push: b"));
  options.pod = "bless";
  EXPECT_THAT(Read(Succeeded(), options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'bless'")));
}

TEST_F(WorkflowLogsTest, FollowingANodeThatNeverCameSaysSo) {
  pods_ = {PodOf("train")};
  WorkflowLogOptions options = Following();
  options.pod = "trian";
  EXPECT_THAT(Read(Running(), options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'trian'")));
}

TEST_F(WorkflowLogsTest, FollowingEndsWhenALogIsForbidden) {
  never_ends_ = true;
  pods_ = {PodOf("train")};
  forbidden_ = true;
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(WorkflowLogsTest, WithoutAnyPodItSaysWhereTheLogsMayBe) {
  EXPECT_THAT(Read(Succeeded()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("archiveLogs")));
  EXPECT_THAT(Read(Running()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("-f waits")));
}

struct NodeNameCase {
  std::string name;
  std::string node;  // as Argo annotates it; empty: not at all
  std::string expected;
};
class NodeNameOfTest : public ::testing::TestWithParam<NodeNameCase> {};

TEST_P(NodeNameOfTest, IsWithoutTheWorkflowsName) {
  json pod = PodOf("pod");
  pod["metadata"]["annotations"] = json::object();
  if (!GetParam().node.empty()) {
    pod["metadata"]["annotations"]["workflows.argoproj.io/node-name"] =
        GetParam().node;
  }
  EXPECT_EQ(NodeNameOf(pod), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeNameOfTest,
                         ::testing::ValuesIn(std::vector<NodeNameCase>{
                             {"Task", "w.train", "train"},
                             {"Retry", "w.train(0)", "train(0)"},
                             {"Step", "w[0].train", "[0].train"},
                             {"TheWorkflowsOnlyNode", "w", "w"},
                             {"AnotherWorkflows", "x.train", "x.train"},
                             {"NotAnnotated", "", "w-pod"},
                         }),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle::argo
