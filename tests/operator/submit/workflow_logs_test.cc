#include "operator/submit/workflow_logs.h"

#include <httplib.h>
#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/event_fd.h"
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
json PodOf(const std::string& name, const std::string& container = "main") {
  return {
      {"metadata",
       {{"name", "w-" + name},
        {"namespace", "ml"},
        {"labels", {{"workflows.argoproj.io/workflow", "w"}}},
        {"annotations", {{"workflows.argoproj.io/node-name", "w." + name}}}}},
      {"spec",
       {{"initContainers", {{{"name", "init"}}}},
        {"containers", {{{"name", "wait"}}, {{"name", container}}}}}},
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
    server_.http().Get(".*/workflows", [this](const httplib::Request& request,
                                              httplib::Response& response) {
      if (request.has_param("watch")) return StayOpen("", response);
      const json now = never_ends_ ? Running() : Succeeded();
      Answer({{"metadata", {{"resourceVersion", "5"}}}, {"items", {now}}},
             response);
    });
    server_.http().Get(".*/pods", [this](const httplib::Request&,
                                         httplib::Response& response) {
      if (unlisted_) return Refuse(403, "Forbidden", response);
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
  void TearDown() override { over_.Happen(); }

  static void Answer(const json& object, httplib::Response& response) {
    response.set_content(object.dump(), "application/json");
  }
  static void Refuse(int code, const std::string& reason,
                     httplib::Response& response,
                     const std::string& details = "{}") {
    response.status = code;
    response.set_content(StatusBody(code, reason, "not now", details),
                         "application/json");
  }
  // Says no more until the test is over.
  void StayOpen(const std::string& text, httplib::Response& response) {
    response.set_chunked_content_provider(
        "text/plain", [this, text](size_t, httplib::DataSink& sink) {
          if (!text.empty()) sink.write(text.data(), text.size());
          pollfd wait = {over_.fd(), POLLIN, 0};
          poll(&wait, 1, -1);
          return false;
        });
  }

  void AnswerPod(const std::string& pod, bool log,
                 httplib::Response& response) {
    const auto found = logs_.find(pod);
    if (refused_.contains(pod)) {
      Refuse(refused_[pod], "Refused", response);
    } else if (found == logs_.end()) {
      Refuse(404, "NotFound", response,
             absl::StrCat(R"({"kind":"pods","name":")", pod, R"("})"));
    } else if (log && open_.contains(pod)) {
      StayOpen(found->second, response);
    } else if (log) {
      response.set_content(found->second, "text/plain");
    } else {
      Answer({{"status", {{"phase", "Succeeded"}}}}, response);
    }
  }

  // What is said, "NODE: LINE", is in `lines_`.
  absl::StatusOr<json> Read(const json& workflow,
                            WorkflowLogOptions options = {}) {
    options.follow.backoff.clock = &clock_;
    options.follow.backoff.sleep = [this](absl::Duration duration) {
      clock_.Advance(duration);
      return true;
    };
    options.follow.on_lost = [this](const absl::Status&) { ++lost_; };
    return ReadWorkflowLogs(
        workflow, options, *client_,
        [this](const std::string& node, absl::string_view line) {
          lines_.push_back(absl::StrCat(node, ": ", line));
          return said_;
        });
  }
  static WorkflowLogOptions Following() {
    WorkflowLogOptions options;
    options.log.follow = true;
    return options;
  }

  EventFd over_;
  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  ApiServer server_;
  std::unique_ptr<KubeClient> client_;
  json pods_ = json::array();
  std::map<std::string, std::string> logs_;
  std::set<std::string> open_;          // pods whose logs do not end
  std::map<std::string, int> refused_;  // HTTP status by pod
  bool never_ends_ = false;
  bool unlisted_ = false;  // pods may not be listed
  absl::Status said_;      // what the sink answers
  std::vector<std::string> lines_;
  int lost_ = 0;  // how often we were told
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
  refused_["w-train"] = 403;
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(WorkflowLogsTest, AnErrorEndsThoseWhoReadOtherLogs) {
  never_ends_ = true;
  pods_ = {PodOf("train"), PodOf("push")};
  pods_[0]["status"]["phase"] = "Running";
  logs_["w-train"] = "2026-01-01T00:00:00Z step 1\n";
  open_ = {"w-train"};
  refused_["w-push"] = 403;
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(WorkflowLogsTest, FollowingEndsWhenPodsMayNotBeListed) {
  never_ends_ = true;
  unlisted_ = true;
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(WorkflowLogsTest, FollowingEndsWhenNobodyTakesTheLinesAnyMore) {
  never_ends_ = true;
  pods_ = {PodOf("train"), PodOf("push")};
  logs_ = {{"w-train", "2026-01-01T00:00:00Z step 1\n"}, {"w-push", ""}};
  open_ = {"w-train", "w-push"};
  said_ = absl::DataLossError("the output is gone");
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kDataLoss, "the output is gone"));
  EXPECT_THAT(lines_, ElementsAre("train: step 1"));
}

TEST_F(WorkflowLogsTest, FollowingReturnsTheWorkflowAsItEnded) {
  RK_ASSERT_OK_AND_ASSIGN(const json ended, Read(Running(), Following()));
  EXPECT_EQ(ended["status"]["phase"], "Succeeded");
}

TEST_F(WorkflowLogsTest, APodWithoutTheContainerIsPassedOver) {
  pods_ = {PodOf("set", "first"), PodOf("train")};
  logs_["w-train"] = "2026-01-01T00:00:00Z step 1\n";
  refused_["w-set"] = 400;
  EXPECT_THAT(Read(Running(), Following()), IsOk());
  EXPECT_THAT(Read(Succeeded()), IsOk());
  EXPECT_THAT(lines_, ElementsAre("train: step 1", "train: step 1"));
}

TEST_F(WorkflowLogsTest, AContainerThatNoPodHasIsNotFound) {
  pods_ = {PodOf("set", "first"), PodOf("train")};
  WorkflowLogOptions options = Following();
  options.log.container = "sidecar";
  const auto not_found =
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr("'sidecar'; -c chooses one of: first, init, main"));
  EXPECT_THAT(Read(Running(), options), not_found);
  EXPECT_THAT(Read(Succeeded(), options), not_found);
}

TEST_F(WorkflowLogsTest, ALogThatIsOutOfReachDoesNotHideTheOthers) {
  pods_ = {PodOf("away"), PodOf("train")};
  logs_["w-train"] = "2026-01-01T00:00:00Z step 1\n";
  refused_["w-away"] = 500;
  const absl::Time begin = clock_.Now();
  EXPECT_THAT(Read(Succeeded()), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(lines_, ElementsAre("train: step 1"));
  EXPECT_EQ(lost_, 1);
  EXPECT_LE(clock_.Now() - begin, absl::Seconds(10));
  EXPECT_THAT(Read(Running(), Following()),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(lines_, ElementsAre("train: step 1", "train: step 1"));
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
