#include "operator/submit/remote_workflow.h"

#include <httplib.h>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// {"w":{"name":"w","phase":"Succeeded"}}, by gzip and base64.
constexpr char kPacked[] =
    "H4sIAAAAAAACA6tWKleyqlbKS8xNVbICsnWUCjISi0Hs4NLk5NTUlNQUpdpaAGHB98ImAAAA";
// {"w": {"message": "xxx..."}} with 100,000 times x.
constexpr char kPackedLarge[] =
    "H4sIAAAAAAACA+3GoQ3AIAAEwFWaH6PbVBAUClESwu4wBuJO3cyf95lppfevlvMMAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA4FpZawPA2HORtoYBAA==";

json WorkflowWith(const json& status) {
  return {{"metadata", {{"name", "w"}, {"namespace", "ml"}, {"uid", "u"}}},
          {"status", status}};
}

json Packed(const std::string& nodes) {
  return WorkflowWith({{"phase", "Running"}, {"compressedNodes", nodes}});
}

TEST(UnpackNodesTest, PutsPackedNodesWhereOthersAre) {
  json workflow = Packed(kPacked);
  ASSERT_THAT(UnpackNodes(workflow), IsOk());
  EXPECT_EQ(workflow["status"], json::parse(R"({"phase": "Running", "nodes":
                            {"w": {"name": "w", "phase": "Succeeded"}}})"));
}

TEST(UnpackNodesTest, UnpacksMoreThanFitsIntoItsBuffer) {
  json workflow = Packed(kPackedLarge);
  ASSERT_THAT(UnpackNodes(workflow), IsOk());
  EXPECT_EQ(workflow["status"]["nodes"]["w"]["message"],
            std::string(100000, 'x'));
}

TEST(UnpackNodesTest, LeavesNodesThatAreNotPackedAsTheyAre) {
  json workflow = WorkflowWith({{"nodes", {{"w", {{"name", "w"}}}}}});
  const json before = workflow;
  ASSERT_THAT(UnpackNodes(workflow), IsOk());
  EXPECT_EQ(workflow, before);
}

TEST(UnpackNodesTest, SaysWhatIsWrongWithThePacking) {
  const std::string cut = std::string(kPacked).substr(0, 40);
  for (const auto& [packed, message] : {
           std::pair<std::string, std::string>{"***", "not base64"},
           {"YWJj", "not gzip"},
           {cut, "not gzip"},
           {"H4sIAAAAAAACA0tMSgYAwkEkNQMAAAA=", "not JSON"},  // "abc"
       }) {
    json workflow = Packed(packed);
    EXPECT_THAT(
        UnpackNodes(workflow),
        StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(message)));
    EXPECT_EQ(workflow, Packed(packed));
  }
}

TEST(WorkflowPhaseTest, EndedWellIsFinishedAndNeitherFailedNorInError) {
  const json running = WorkflowWith({{"phase", "Running"}});
  EXPECT_FALSE(HasFinished(running));
  EXPECT_FALSE(HasSucceeded(running));
  for (const std::string phase : {"Succeeded", "Failed", "Error"}) {
    const json ended = WorkflowWith(
        {{"phase", phase}, {"finishedAt", "2026-01-01T00:00:00Z"}});
    EXPECT_TRUE(HasFinished(ended));
    EXPECT_EQ(HasSucceeded(ended), phase == "Succeeded");
  }
  EXPECT_EQ(WorkflowPhase(json::object()), "Pending");
}

// A cluster with namespace ml, its workflows listed in `workflows_`.
class RemoteWorkflowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.http().Get(".*/workflows", [this](const httplib::Request&,
                                              httplib::Response& response) {
      const json list = {{"metadata", {{"resourceVersion", "5"}}},
                         {"items", workflows_}};
      response.set_content(list.dump(), "application/json");
    });
    server_.http().Get(".*/workflows/any", [](const httplib::Request&,
                                              httplib::Response& response) {
      Missing(R"({"kind":"workflows","name":"any"})", response);
    });
    server_.http().Get(
        "/api/v1/namespaces/ml",
        [](const httplib::Request&, httplib::Response& response) {
          response.set_content("{}", "application/json");
        });
    server_.http().Get(
        "/api/v1/namespaces/typo",
        [](const httplib::Request&, httplib::Response& response) {
          Missing(R"({"kind":"namespaces","name":"typo"})", response);
        });
    server_.Start();
    client_ = MakeHttpKubeClient(server_.Config()).value();
    options_.backoff.sleep = [](absl::Duration) { return true; };
  }

  static void Missing(const std::string& details, httplib::Response& response) {
    response.status = 404;
    response.set_content(StatusBody(404, "NotFound", "none", details),
                         "application/json");
  }

  ApiServer server_;
  std::unique_ptr<KubeClient> client_;
  FollowOptions options_;
  json workflows_ = json::array();
};

TEST_F(RemoteWorkflowTest, TheLatestIsTheOneMadeLast) {
  for (const char* hour : {"08", "10", "09"}) {
    workflows_.push_back({{"metadata",
                           {{"name", hour},
                            {"creationTimestamp",
                             "2026-01-01T" + std::string(hour) + ":00:00Z"}}}});
  }
  const auto latest = GetWorkflow("ml", "@latest", *client_);
  ASSERT_THAT(latest, IsOk());
  EXPECT_EQ(WorkflowName(*latest), "10");
}

TEST_F(RemoteWorkflowTest, AMissingNamespaceIsBlamedBeforeAMissingWorkflow) {
  EXPECT_THAT(GetWorkflow("ml", "any", *client_),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'any'")));
  EXPECT_THAT(
      GetWorkflow("typo", "any", *client_),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("namespace 'typo'")));
}

TEST_F(RemoteWorkflowTest, FollowingUnpacksTheNodesOfEachChange) {
  workflows_ = {Packed(kPacked)};
  workflows_[0]["status"]["finishedAt"] = "2026-01-01T00:00:00Z";
  json nodes;
  const auto last = FollowWorkflow(WorkflowWith({}), options_, *client_,
                                   [&nodes](const json& now) {
                                     nodes = now["status"]["nodes"];
                                     return absl::OkStatus();
                                   });
  ASSERT_THAT(last, IsOk());
  EXPECT_EQ(nodes["w"]["phase"], "Succeeded");
  EXPECT_EQ((*last)["status"]["nodes"], nodes);
}

TEST_F(RemoteWorkflowTest, AnotherOfTheSameNameIsNotTheOneThatWasFollowed) {
  workflows_ = {WorkflowWith({{"phase", "Succeeded"}, {"finishedAt", "2026"}})};
  workflows_[0]["metadata"]["uid"] = "another";
  EXPECT_THAT(
      AwaitWorkflow(WorkflowWith({}), options_, *client_),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("'w' was deleted")));
}

TEST_F(RemoteWorkflowTest, OneThatHasFinishedCannotBeStopped) {
  const json ended = WorkflowWith({{"phase", "Failed"}, {"finishedAt", "x"}});
  EXPECT_THAT(StopWorkflow(ended, Shutdown::kStop, "", *client_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("has finished already (Failed)")));
}

}  // namespace
}  // namespace rekindle::argo
