#include "operator/kube/connection.h"

#include <httplib.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "operator/kube/kube_config.h"
#include "operator/kube/kube_error.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

// A server at 127.0.0.1 that is to be reached at other addresses.
class SendToAnyOfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.http().Get(
        ".*", [this](const httplib::Request&, httplib::Response& response) {
          ++asked_;
          response.status = 503;
        });
    server_.Start();
  }

  absl::StatusOr<HttpAnswer> SendTo(const std::vector<std::string>& ips) {
    HttpCall call;
    call.path = "/";
    call.connect_timeout = absl::Seconds(5);
    call.read_timeout = absl::Seconds(5);
    KubeConfig config = server_.Config();
    config.tls_server_name = "api.test";
    return SendToAnyOf(ips, call, ParseServerAddress(config.server).value(),
                       config, {});
  }

  ApiServer server_;
  int asked_ = 0;
};

TEST_F(SendToAnyOfTest, WhereNobodyListensIsPassedOver) {
  const auto answer = SendTo({"127.0.0.2", "127.0.0.1", "127.0.0.3"});
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(asked_, 1);
}

TEST_F(SendToAnyOfTest, ThatNobodyListensAnywhereIsSaid) {
  const auto answer = SendTo({"127.0.0.2", "127.0.0.3"});
  EXPECT_THAT(answer, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(IsNotDone(answer.status()));
}

}  // namespace
}  // namespace rekindle::argo
