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
#include "base/clock.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A server that keeps what is created, and treats each request as its script
// says.
class RetryingKubeClientTest : public ::testing::Test {
 protected:
  // kSentTwice: something on the way repeats the request, and shows us only the
  // second answer.
  enum class Fate {
    kAnswer,
    kOverloaded,
    kQuota,
    kDoneButCut,
    kRefusedByCut,
    kSentTwice
  };

  void SetUp() override {
    server_.http().Post(".*", [this](const httplib::Request& request,
                                     httplib::Response& response) {
      Create(request, response);
    });
    server_.http().Get(".*", [this](const httplib::Request& request,
                                    httplib::Response& response) {
      const std::string name = request.path.substr(request.path.rfind('/') + 1);
      if (get_status_ != 200) {
        response.status = get_status_;
        response.set_content(StatusBody(get_status_, "", "no look"),
                             "application/json");
        return;
      }
      response.set_content(objects_.at(name).dump(), "application/json");
    });
    server_.Start();
    RetryOptions options;
    options.backoff.total = absl::Seconds(5);
    options.backoff.clock = &clock_;
    options.backoff.sleep = [this](absl::Duration duration) {
      slept_.push_back(duration);
      clock_.Advance(duration);
      return !interrupted_;
    };
    options.name_suffix = [this] { return absl::StrCat("n", ++names_); };
    client_ = MakeRetryingKubeClient(
        MakeHttpKubeClient(server_.Config()).value(), std::move(options));
  }

  void Create(const httplib::Request& request, httplib::Response& response) {
    const Fate fate =
        script_.empty() ? Fate::kAnswer : script_[requests_ % script_.size()];
    ++requests_;
    clock_.Advance(call_takes_);
    if (fate == Fate::kOverloaded) {
      response.status = 429;
      response.set_header("Retry-After", retry_after_);
      return;
    }
    if (fate == Fate::kQuota) {
      response.status = 403;
      response.set_content(StatusBody(403, "Forbidden", "exceeded quota"),
                           "application/json");
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
    if (fate == Fate::kSentTwice) return Create(request, response);
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
  int get_status_ = 200;
  std::string retry_after_ = "3";
  FakeClock clock_{absl::UnixEpoch()};
  absl::Duration call_takes_;
  bool interrupted_ = false;  // in each pause
  std::vector<absl::Duration> slept_;
  int names_ = 0;
  std::unique_ptr<KubeClient> client_;
};

TEST_F(RetryingKubeClientTest, StaysAwayAsLongAsTheClusterWants) {
  script_ = {Fate::kOverloaded, Fate::kAnswer};
  EXPECT_THAT(Submit({{"name", "a"}}), IsOk());
  EXPECT_THAT(slept_, ElementsAre(absl::Seconds(3)));
}

TEST_F(RetryingKubeClientTest, StaysAwayForAllItsTimeAndTriesOnceMore) {
  script_ = {Fate::kOverloaded, Fate::kAnswer};
  retry_after_ = "5";
  EXPECT_THAT(Submit({{"name", "a"}}), IsOk());
}

TEST_F(RetryingKubeClientTest, DoesNotStayAwayForLongerThanItMayTake) {
  script_ = {Fate::kOverloaded};
  retry_after_ = "6";
  EXPECT_THAT(Submit({{"name", "a"}}),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(slept_, IsEmpty());
}

TEST_F(RetryingKubeClientTest, IsNotPutOffForEver) {
  script_ = {Fate::kOverloaded};
  EXPECT_THAT(Submit({{"name", "a"}}),
              StatusIs(absl::StatusCode::kUnavailable,
                       Not(HasSubstr("may have been created"))));
  EXPECT_THAT(slept_, ElementsAre(absl::Seconds(3), absl::Seconds(3)));
}

TEST_F(RetryingKubeClientTest, ACallThatTimedOutIsTriedAgain) {
  script_ = {Fate::kDoneButCut, Fate::kAnswer};
  call_takes_ = absl::Seconds(30);
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n1");
  EXPECT_THAT(objects_, SizeIs(1));
}

TEST_F(RetryingKubeClientTest, WhoGivesUpNamesWhatMayHaveBeenMade) {
  script_ = {Fate::kDoneButCut, Fate::kRefusedByCut};
  call_takes_ = absl::Seconds(30);
  EXPECT_THAT(Submit({{"generateName", "a-"}}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("Workflow 'a-n1' may have been created"),
                             HasSubstr("'rekindle watch -n ml a-n1'"))));
  EXPECT_EQ(requests_, 2);
}

TEST_F(RetryingKubeClientTest, WhatIsRefusedAfterALostAnswerIsNamed) {
  script_ = {Fate::kDoneButCut, Fate::kQuota};
  EXPECT_THAT(Submit({{"generateName", "a-"}}),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       HasSubstr("Workflow 'a-n1' may have been created")));
}

TEST_F(RetryingKubeClientTest, AnInterruptedPauseIsAnInterruption) {
  script_ = {Fate::kDoneButCut};
  interrupted_ = true;
  EXPECT_THAT(Submit({{"generateName", "a-"}}),
              StatusIs(absl::StatusCode::kCancelled,
                       HasSubstr("Workflow 'a-n1' may have been created")));
  script_ = {Fate::kOverloaded};
  EXPECT_THAT(Submit({{"generateName", "a-"}}),
              StatusIs(absl::StatusCode::kCancelled, "interrupted"));
}

TEST_F(RetryingKubeClientTest, WhatNobodyGotWasNotMade) {
  server_.Stop();
  EXPECT_THAT(Submit({{"generateName", "a-"}}),
              StatusIs(absl::StatusCode::kUnavailable,
                       Not(HasSubstr("may have been created"))));
}

TEST_F(RetryingKubeClientTest, ADryRunMakesNothing) {
  script_ = {Fate::kRefusedByCut};
  CreateOptions options;
  options.dry_run = true;
  EXPECT_THAT(
      client_->Create(kWorkflows, "ml",
                      {{"metadata", {{"generateName", "a-"}}}}, options),
      StatusIs(absl::StatusCode::kUnavailable,
               Not(HasSubstr("may have been created"))));
}

TEST_F(RetryingKubeClientTest, ALostAnswerDoesNotMakeASecondObject) {
  script_ = {Fate::kDoneButCut, Fate::kRefusedByCut, Fate::kAnswer};
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n1");
  EXPECT_THAT(objects_, SizeIs(1));
}

TEST_F(RetryingKubeClientTest, ARequestThatWasSentTwiceMakesOneObject) {
  script_ = {Fate::kSentTwice};
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n1");
  EXPECT_THAT(objects_, SizeIs(1));
}

TEST_F(RetryingKubeClientTest, WhoMayOnlyCreateHasCreatedWhatTheyDrew) {
  script_ = {Fate::kDoneButCut, Fate::kAnswer};
  get_status_ = 403;
  const auto created = Submit({{"generateName", "a-"}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], "a-n1");
  EXPECT_EQ((*created)["metadata"]["namespace"], "ml");
  EXPECT_THAT(objects_, SizeIs(1));
}

TEST_F(RetryingKubeClientTest, WithoutALookNoSecondObjectIsMade) {
  for (const int status : {403, 503}) {
    script_ = {Fate::kSentTwice};
    get_status_ = status;
    objects_.clear();
    EXPECT_THAT(Submit({{"generateName", "a-"}}),
                StatusIs(absl::StatusCode::kAlreadyExists,
                         AllOf(HasSubstr("whether it is ours is not known"),
                               HasSubstr("'rekindle watch -n ml a-n"))));
    EXPECT_THAT(objects_, SizeIs(1));
  }
}

TEST_F(RetryingKubeClientTest, AGivenNameThatMayBeOursIsSaidToBe) {
  script_ = {Fate::kDoneButCut, Fate::kAnswer};
  get_status_ = 403;
  EXPECT_THAT(Submit({{"name", "a"}}),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("whether it is ours is not known: no look")));
}

TEST_F(RetryingKubeClientTest, AGivenNameThatIsTakenNeedsNoLook) {
  objects_["a"] = json::object();
  get_status_ = 403;
  EXPECT_THAT(
      Submit({{"name", "a"}}),
      StatusIs(absl::StatusCode::kAlreadyExists, Not(HasSubstr("ours"))));
}

TEST_F(RetryingKubeClientTest, ALongGenerateNameIsCutAsTheApiServerDoes) {
  const auto created = Submit({{"generateName", std::string(100, 'a')}});
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ((*created)["metadata"]["name"], std::string(58, 'a') + "n1");
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
