#include "operator/kube/object_follower.h"

#include <cstdint>
#include <httplib.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
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
using ::testing::ElementsAre;

// A cluster whose objects change with every request, and whose watches are cut,
// refused and forgotten at random. Thread-safe.
class RestlessCluster {
 public:
  RestlessCluster(uint32_t seed, int changes)
      : random_(seed), changes_left_(changes) {
    server_.http().Get(
        "/apis/argoproj.io/v1alpha1/namespaces/ml/workflows",
        [this](const httplib::Request& request, httplib::Response& response) {
          const absl::MutexLock lock(&mutex_);
          if (request.has_param("watch")) {
            Watch(request, response);
          } else {
            List(response);
          }
        });
    server_.Start();
  }

  KubeConfig Config() const { return server_.Config(); }
  bool AtRest() {
    const absl::MutexLock lock(&mutex_);
    return changes_left_ == 0;
  }
  std::map<std::string, std::string> Objects() {
    const absl::MutexLock lock(&mutex_);
    return objects_;
  }

 private:
  struct Event {
    std::string type;
    std::string name;
    int64_t version;
  };

  bool Chance(int percent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return static_cast<int>(random_() % 100) < percent;
  }

  static json Object(const std::string& name, int64_t version) {
    return {{"metadata",
             {{"name", name},
              {"uid", name},
              {"resourceVersion", absl::StrCat(version)}}}};
  }

  void ChangeSomething() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (changes_left_ == 0) return;
    --changes_left_;
    const std::string name = absl::StrCat("w", random_() % 5);
    ++version_;
    if (objects_.contains(name) && Chance(30)) {
      objects_.erase(name);
      events_.push_back({"DELETED", name, version_});
    } else {
      events_.push_back(
          {objects_.contains(name) ? "MODIFIED" : "ADDED", name, version_});
      objects_[name] = absl::StrCat(version_);
    }
    if (Chance(10)) oldest_ = version_;  // compaction
  }

  void List(httplib::Response& response) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (Chance(20)) {
      response.status = 503;
      return;
    }
    json items = json::array();
    for (const auto& [name, version] : objects_) {
      int64_t number = 0;
      EXPECT_TRUE(absl::SimpleAtoi(version, &number));
      items.push_back(Object(name, number));
    }
    const json list = {
        {"metadata", {{"resourceVersion", absl::StrCat(version_)}}},
        {"items", items}};
    response.set_content(list.dump(), "application/json");
  }

  void Watch(const httplib::Request& request, httplib::Response& response)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    int64_t from = 0;
    EXPECT_TRUE(
        absl::SimpleAtoi(request.get_param_value("resourceVersion"), &from));
    for (int i = static_cast<int>(random_() % 4); i > 0; --i) ChangeSomething();
    const bool forgotten = from < oldest_;
    if (forgotten && Chance(50)) {
      response.status = 410;
      response.set_content(StatusBody(410, "Expired", "too old"),
                           "application/json");
      return;
    }
    if (Chance(10)) {
      response.status = Chance(50) ? 429 : 500;
      return;
    }
    Stream(forgotten ? StatusEvent() : EventsBehind(from), response);
  }

  static std::string StatusEvent() {
    return absl::StrCat(R"({"type":"ERROR","object":)",
                        StatusBody(410, "Expired", "too old"), "}\n");
  }

  std::string EventsBehind(int64_t from) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::string text;
    for (const Event& event : events_) {
      if (event.version <= from) continue;
      text += json{{"type", event.type},
                   {"object", Object(event.name, event.version)}}
                  .dump() +
              "\n";
    }
    if (Chance(30)) {
      text +=
          json{{"type", "BOOKMARK"}, {"object", Object("", version_)}}.dump() +
          "\n";
    }
    return text;
  }

  // In pieces of any size, and perhaps not to the end.
  void Stream(const std::string& text, httplib::Response& response)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const bool whole = changes_left_ == 0 || Chance(50);
    const size_t end = whole ? text.size() : random_() % (text.size() + 1);
    const size_t piece = 1 + random_() % 100;
    response.set_chunked_content_provider(
        "application/json",
        [text, end, piece, whole](size_t at, httplib::DataSink& sink) {
          if (at < end) {
            return sink.write(text.data() + at, std::min(piece, end - at));
          }
          if (whole) sink.done();
          return whole;
        });
  }

  absl::Mutex mutex_;
  std::mt19937 random_ ABSL_GUARDED_BY(mutex_);
  int changes_left_ ABSL_GUARDED_BY(mutex_);
  int64_t version_ ABSL_GUARDED_BY(mutex_) = 100;
  int64_t oldest_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::string> objects_ ABSL_GUARDED_BY(mutex_);
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
  ApiServer server_;
};

TEST(ObjectFollowerTest, EndsUpKnowingTheTruthWhateverHappensToTheConnection) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  RestlessCluster cluster(seed, /*changes=*/150);
  const auto client = MakeHttpKubeClient(cluster.Config()).value();
  FollowOptions options;
  std::map<std::string, std::string> known;
  // When the cluster is at rest and we know what it knows, we are done; that is
  // looked at in each pause, for then no event may come any more.
  options.backoff.sleep = [&](absl::Duration) {
    return !cluster.AtRest() || known != cluster.Objects();
  };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  const absl::Status end =
      follower.Run([&known](const json& object, bool deleted) {
        const std::string name = object["metadata"]["name"];
        if (deleted) {
          known.erase(name);
        } else {
          known[name] = object["metadata"]["resourceVersion"];
        }
        return true;
      });
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(known, cluster.Objects());
}

TEST(ObjectFollowerTest, WhatVanishedBeforeTheFirstListIsDeleted) {
  RestlessCluster cluster(/*seed=*/1, /*changes=*/0);
  const auto client = MakeHttpKubeClient(cluster.Config()).value();
  FollowOptions options;
  options.backoff.sleep = [](absl::Duration) { return true; };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  follower.Remember({{"metadata", {{"uid", "u"}, {"name", "gone"}}}});
  std::string deleted_name;
  EXPECT_THAT(follower.Run([&](const json& object, bool deleted) {
    if (deleted) deleted_name = object["metadata"]["name"];
    return !deleted;
  }),
              IsOk());
  EXPECT_EQ(deleted_name, "gone");
}

TEST(ObjectFollowerTest, AVerbThatIsForbiddenEndsItAtOnce) {
  ApiServer server;
  server.http().Get(
      ".*", [](const httplib::Request&, httplib::Response& response) {
        response.status = 403;
        response.set_content(R"({"message":"User \"u\" cannot list resource"})",
                             "application/json");
      });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  FollowOptions options;
  options.backoff.sleep = [](absl::Duration) {
    ADD_FAILURE() << "waits for nothing";
    return false;
  };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  EXPECT_THAT(follower.Run([](const json&, bool) { return true; }),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST(ObjectFollowerTest, TellsWhenTheClusterIsLostAndWhenItIsFound) {
  ApiServer server;
  int calls = 0;
  server.http().Get(".*", [&calls](const httplib::Request&,
                                   httplib::Response& response) {
    if (++calls < 3) {
      response.status = 503;
    } else {
      response.set_content(R"({"metadata":{"resourceVersion":"5"},"items":[]})",
                           "application/json");
    }
  });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  std::vector<std::string> told;
  FollowOptions options;
  options.on_lost = [&told](const absl::Status&) { told.emplace_back("lost"); };
  options.on_found = [&told] { told.emplace_back("found"); };
  options.backoff.sleep = [&calls](absl::Duration) { return calls < 3; };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  EXPECT_THAT(follower.Run([](const json&, bool) { return true; }),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(told, ElementsAre("lost", "found"));
}

TEST(ObjectFollowerTest, GoesOnBehindTheLastBookmarkWithoutANewList) {
  ApiServer server;
  std::vector<std::string> asked;  // versions to watch from; "list" for a list
  server.http().Get(".*", [&asked](const httplib::Request& request,
                                   httplib::Response& response) {
    const bool watch = request.has_param("watch");
    asked.push_back(watch ? request.get_param_value("resourceVersion")
                          : "list");
    response.set_content(
        watch ? R"({"type":"BOOKMARK","object":{"metadata":)"
                R"({"resourceVersion":"9"}}})"
                "\n"
              : R"({"metadata":{"resourceVersion":"5"},"items":[]})",
        "application/json");
  });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  FollowOptions options;
  options.backoff.sleep = [&asked](absl::Duration) { return asked.size() < 3; };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  EXPECT_THAT(follower.Run([](const json&, bool) { return true; }),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(asked, ElementsAre("list", "5", "9"));
}

TEST(ObjectFollowerTest, WhatIsNoObjectInAListIsPassedOver) {
  ApiServer server;
  server.http().Get(".*", [](const httplib::Request&,
                             httplib::Response& response) {
    response.set_content(
        R"({"metadata":{"resourceVersion":"5"},)"
        R"("items":[7,"text",null,[],{"metadata":{"name":"w","uid":"u"}}]})",
        "application/json");
  });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  ObjectFollower follower(*client, kWorkflows, "ml", {});
  std::string name;
  EXPECT_THAT(follower.Run([&name](const json& object, bool) {
    name = object["metadata"]["name"];
    return false;
  }),
              IsOk());
  EXPECT_EQ(name, "w");
}

TEST(ObjectFollowerTest, AnInterruptedPauseIsAnInterruption) {
  ApiServer server;
  server.http().Get(".*",
                    [](const httplib::Request&, httplib::Response& response) {
                      response.status = 503;
                    });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  FollowOptions options;
  options.backoff.sleep = [](absl::Duration) { return false; };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  EXPECT_THAT(follower.Run([](const json&, bool) { return true; }),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST(ObjectFollowerTest, HowLongTheClusterWasQuietIsNotHeldAgainstIt) {
  ApiServer server;
  FakeClock clock(absl::UnixEpoch());
  int asked = 0;
  server.http().Get(".*", [&](const httplib::Request&,
                              httplib::Response& response) {
    ++asked;
    if (asked == 1) {
      response.set_content(R"({"metadata":{"resourceVersion":"5"}})",
                           "application/json");
    } else if (asked == 2) {  // a watch in which nothing happens
      clock.Advance(absl::Minutes(9));
    } else if (asked == 3) {  // then the cluster is away, for the first time
      clock.Advance(absl::Minutes(2));
      response.status = 503;
    } else {
      response.set_content(
          R"({"type":"ADDED","object":{"metadata":{"uid":"u"}}})"
          "\n",
          "application/json");
    }
  });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  std::vector<absl::Duration> slept;
  FollowOptions options;
  options.backoff.total = absl::Minutes(10);
  options.backoff.clock = &clock;
  options.backoff.random = [] { return 1.0; };
  options.backoff.sleep = [&slept](absl::Duration duration) {
    slept.push_back(duration);
    return true;
  };
  ObjectFollower follower(*client, kWorkflows, "ml", options);
  EXPECT_THAT(follower.Run([](const json&, bool) { return false; }), IsOk());
  EXPECT_THAT(slept, ElementsAre(options.backoff.first, options.backoff.first,
                                 options.backoff.first));
}

}  // namespace
}  // namespace rekindle::argo
