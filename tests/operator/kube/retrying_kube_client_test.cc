#include "operator/kube/retrying_kube_client.h"

#include <atomic>
#include <httplib.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::SizeIs;

// A server that keeps what is created, and treats each request as its script
// says.
class RetryingKubeClientTest : public ::testing::Test {
 protected:
  enum class Fate { kAnswer, kOverloaded, kDoneButCut, kRefusedByCut };

  void SetUp() override {
    server_.http().Post(".*", [this](const httplib::Request& request,
                                     httplib::Response& response) {
      Create(request, response);
    });
    server_.http().Get(".*", [this](const httplib::Request& request,
                                    httplib::Response& response) {
      const std::string name = request.path.substr(request.path.rfind('/') + 1);
      response.set_content(objects_.at(name).dump(), "application/json");
    });
    server_.Start();
    RetryOptions options;
    options.backoff.sleep = [this](absl::Duration duration) {
      slept_.push_back(duration);
      return true;
    };
    options.name_suffix = [this] { return absl::StrCat("n", ++names_); };
    client_ = MakeRetryingKubeClient(
        MakeHttpKubeClient(server_.Config()).value(), std::move(options));
  }

  void Create(const httplib::Request& request, httplib::Response& response) {
    const Fate fate =
        script_.empty() ? Fate::kAnswer : script_[requests_ % script_.size()];
    ++requests_;
    if (fate == Fate::kOverloaded) {
      response.status = 429;
      response.set_header("Retry-After", "3");
      return;
    }
    if (fate == Fate::kRefusedByCut) return Cut(response);
    json object = json::parse(request.body);
    const std::string name = object["metadata"]["name"];
    if (objects_.contains(name)) {
      response.status = 409;
      response.set_content(StatusBody(409, "AlreadyExists", "exists"),
                           "application/json");
      return;
    }
    object["metadata"]["managedFields"] = {
        {{"manager", request.get_param_value("fieldManager")}}};
    objects_[name] = object;
    if (fate == Fate::kDoneButCut) return Cut(response);
    response.status = 201;
    response.set_content(object.dump(), "application/json");
  }

  static void Cut(httplib::Response& response) {
    response.set_content_provider(
        100, "application/json",
        [](size_t, size_t, httplib::DataSink&) { return false; });
  }

  absl::StatusOr<json> Submit(const json& metadata) {
    return client_->Create(kWorkflows, "ml", {{"metadata", metadata}}, {});
  }

  ApiServer server_;
  std::vector<Fate> script_;
  size_t requests_ = 0;
  std::map<std::string, json> objects_;
  std::vector<absl::Duration> slept_;
  int names_ = 0;
  std::unique_ptr<KubeClient> client_;
};

TEST_F(RetryingKubeClientTest, StaysAwayAsLongAsTheClusterWants) {
  script_ = {Fate::kOverloaded, Fate::kAnswer};
  EXPECT_THAT(Submit({{"name", "a"}}), IsOk());
  ASSERT_THAT(slept_, SizeIs(2));
  EXPECT_EQ(slept_[0], absl::Seconds(3));
}

TEST_F(RetryingKubeClientTest, ALostAnswerDoesNotMakeASecondObject) {
  script_ = {Fate::kDoneButCut, Fate::kRefusedByCut, Fate::kAnswer};
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n1");
  EXPECT_THAT(objects_, SizeIs(1));
}

TEST_F(RetryingKubeClientTest, SomebodyElsesObjectIsNotTakenForOurs) {
  objects_["a"] = {{"metadata", {{"name", "a"}}}};
  script_ = {Fate::kRefusedByCut, Fate::kAnswer};
  EXPECT_THAT(Submit({{"name", "a"}}),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(RetryingKubeClientTest, AGeneratedNameThatIsTakenIsDrawnAgain) {
  objects_["a-n1"] = json::object();
  objects_["a-n2"] = json::object();
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n3");
}

TEST_F(RetryingKubeClientTest, WhatTryingAgainDoesNotChangeIsNotTried) {
  objects_["a"] = json::object();
  EXPECT_THAT(Submit({{"name", "a"}}),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(requests_, 1);
  EXPECT_THAT(slept_, SizeIs(0));
}

}  // namespace
}  // namespace rekindle::argo
