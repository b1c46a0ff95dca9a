#include "operator/submit/log_readers.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_config.h"
#include "operator/kube/resource.h"
#include "tests/operator/submit/fake_kube_client.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// Counts who reads logs at the same time. Thread-safe.
class CountingClient : public FakeKubeClient {
 public:
  // The logs stay open until `expected` are, and a moment longer.
  explicit CountingClient(int expected) : expected_(expected) {}

  absl::StatusOr<json> Get(const Resource&, const std::string&,
                           const std::string&) override {
    return json{{"status", {{"phase", "Succeeded"}}}};
  }

  absl::Status ReadLog(const std::string&, const std::string& pod,
                       const LogOptions&, const ByteSink&) override {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(pods_.insert(pod).second) << pod;
    most_ = std::max(most_, ++open_);
    changed_.notify_all();
    if (open_ == expected_ && !released_) {
      changed_.wait_for(lock, std::chrono::milliseconds(200),
                        [this] { return open_ > expected_; });
      released_ = true;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return released_; });
    --open_;
    return absl::OkStatus();
  }

  int most() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return most_;
  }
  size_t pods() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return pods_.size();
  }

 private:
  const int expected_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable changed_;
  int open_ = 0;
  int most_ = 0;
  bool released_ = false;
  std::set<std::string> pods_;
};

json PodOf(int number, const std::string& phase) {
  return {{"metadata",
           {{"name", absl::StrCat("pod-", number)}, {"namespace", "ml"}}},
          {"status", {{"phase", phase}}}};
}

class LogReadersTest : public ::testing::Test {
 protected:
  LogReadersTest() {
    options_.log.follow = true;
    options_.follow.backoff.sleep = [](absl::Duration) { return true; };
  }

  WorkflowLogOptions options_;
  NodeLineSink sink_ = [](const std::string&, absl::string_view) {
    return absl::OkStatus();
  };
};

TEST_F(LogReadersTest, ManyLogsOfPodsThatRunAreReadAtOnceButNotAll) {
  CountingClient client(LogReaders::kMostRunning);
  LogReaders readers(options_, client, sink_);
  for (int i = 0; i < 200; ++i) readers.Start(PodOf(i, "Running"));
  EXPECT_THAT(readers.Join(), IsOk());
  EXPECT_EQ(client.most(), LogReaders::kMostRunning);
  EXPECT_EQ(client.pods(), 200);
}

TEST_F(LogReadersTest, AFewLogsOfPodsThatHaveEndedAreReadAtOnce) {
  CountingClient client(LogReaders::kMostEnded);
  LogReaders readers(options_, client, sink_);
  for (int i = 0; i < 200; ++i) readers.Start(PodOf(i, "Failed"));
  EXPECT_THAT(readers.Join(), IsOk());
  EXPECT_EQ(client.most(), LogReaders::kMostEnded);
  EXPECT_EQ(client.pods(), 200);
}

TEST_F(LogReadersTest, EachPodIsReadOnce) {
  CountingClient client(1);
  LogReaders readers(options_, client, sink_);
  for (int i = 0; i < 3; ++i) readers.Start(PodOf(0, "Running"));
  readers.Start(PodOf(0, "Succeeded"));
  EXPECT_THAT(readers.Join(), IsOk());
  EXPECT_EQ(client.pods(), 1);
}

TEST_F(LogReadersTest, NothingIsBegunAfterAnError) {
  CountingClient client(1);
  LogReaders readers(options_, client, sink_);
  readers.Fail(absl::PermissionDeniedError("first"));
  readers.Fail(absl::UnavailableError("second"));
  readers.Start(PodOf(0, "Running"));
  EXPECT_THAT(readers.Join(),
              StatusIs(absl::StatusCode::kPermissionDenied, "first"));
  EXPECT_EQ(client.pods(), 0);
}

// Takes all descriptors away.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

TEST_F(LogReadersTest, WithoutDescriptorsItSaysSo) {
  CountingClient client(1);
  const NoDescriptors none;
  LogReaders readers(options_, client, sink_);
  EXPECT_THAT(readers.status(), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(LogReadersTest, ACallWithoutDescriptorsEndsInsteadOfWaiting) {
  KubeConfig config;
  config.server = "http://127.0.0.1:9";
  RK_ASSERT_OK_AND_ASSIGN(const auto client, MakeHttpKubeClient(config));
  const NoDescriptors none;
  EXPECT_THAT(client->Get(kPods, "ml", "a"),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace rekindle::argo
