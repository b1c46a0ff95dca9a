#include "operator/kube/watch_stream.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string Line(const std::string& type, int version) {
  const json event = {{"type", type},
                      {"object",
                       {{"metadata",
                         {{"resourceVersion", absl::StrCat(version)},
                          {"name", "größe\n\"x\""}}}}}};
  return event.dump() + "\n";
}

TEST(WatchStreamTest, EventsAreTheSameWhereverTheBytesAreCut) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    std::vector<std::string> expected;
    const int count = static_cast<int>(random() % 20);
    for (int i = 0; i < count; ++i) {
      const auto* type = random() % 4 == 0 ? "BOOKMARK" : "MODIFIED";
      bytes += Line(type, i);
      if (random() % 5 == 0) bytes += "\r\n";  // an empty line means nothing
      expected.push_back(absl::StrCat(i));
    }
    std::vector<std::string> seen;
    const EventSink sink = [&seen](const WatchEvent& event) {
      seen.push_back(event.ResourceVersion());
      return true;
    };
    WatchStream stream(sink);
    for (absl::string_view rest = bytes; !rest.empty();) {
      const size_t size = 1 + random() % 40;
      ASSERT_TRUE(stream.Feed(rest.substr(0, size)));
      rest.remove_prefix(std::min(size, rest.size()));
    }
    ASSERT_THAT(seen, ElementsAreArray(expected));
    ASSERT_THAT(stream.status(), IsOk());
  }
}

TEST(WatchStreamTest, AForgottenVersionAsksForANewList) {
  const EventSink sink = [](const WatchEvent&) { return true; };
  WatchStream stream(sink);
  EXPECT_FALSE(
      stream.Feed(R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                  R"("reason":"Expired","message":"too old resource version"}})"
                  "\n"));
  EXPECT_THAT(stream.status(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("too old")));
}

TEST(WatchStreamTest, WhatIsNoEventIsShownInPart) {
  const EventSink sink = [](const WatchEvent&) { return true; };
  WatchStream stream(sink);
  EXPECT_FALSE(stream.Feed("<html>Welcome</html>\n"));
  EXPECT_THAT(stream.status(), StatusIs(absl::StatusCode::kInternal,
                                        HasSubstr("<html>Welcome")));
}

TEST(WatchStreamTest, AnEventWithoutAnObjectIsNone) {
  const EventSink sink = [](const WatchEvent&) {
    ADD_FAILURE() << "nobody can do anything with it";
    return true;
  };
  for (const char* line :
       {R"({"type":"ADDED","object":"text"})", R"({"type":"ADDED"})",
        R"({"type":7,"object":{}})"}) {
    WatchStream stream(sink);
    EXPECT_FALSE(stream.Feed(absl::StrCat(line, "\n")));
    EXPECT_THAT(stream.status(), StatusIs(absl::StatusCode::kInternal));
  }
}

TEST(WatchStreamTest, ASinkThatHasEnoughEndsIt) {
  int seen = 0;
  const EventSink sink = [&seen](const WatchEvent&) { return ++seen < 2; };
  WatchStream stream(sink);
  EXPECT_FALSE(
      stream.Feed(Line("ADDED", 1) + Line("ADDED", 2) + Line("ADDED", 3)));
  EXPECT_EQ(seen, 2);
  EXPECT_THAT(stream.status(), IsOk());
}

}  // namespace
}  // namespace rekindle::argo
