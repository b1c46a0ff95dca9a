#include "operator/submit/pod_log.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/kube/resource.h"
#include "tests/operator/submit/fake_kube_client.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Entry {
  absl::Time at;
  std::string text;
};

// What a node sends that knows only whole seconds: everything of the second
// that `since` is in.
std::string LogSince(const std::vector<Entry>& entries,
                     std::optional<absl::Time> since) {
  std::string log;
  for (const Entry& entry : entries) {
    if (since.has_value() &&
        absl::ToUnixSeconds(entry.at) < absl::ToUnixSeconds(*since)) {
      continue;
    }
    absl::StrAppend(
        &log,
        absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ", entry.at, absl::UTCTimeZone()),
        " ", entry.text, "\n");
  }
  return log;
}

TEST(LogLinesTest, EveryLineComesOnceHoweverOftenTheLogIsCut) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Entry> entries;
    std::vector<std::string> expected;
    absl::Time now = absl::UnixEpoch() + absl::Hours(1);
    for (int i = 0; i < 30; ++i) {
      // Some at the very same moment, some with the same words, and some that
      // were stamped long before they were written.
      if (random() % 3 != 0) now += absl::Milliseconds(random() % 1500);
      const absl::Duration late =
          absl::Milliseconds(random() % 3 == 0 ? random() % 3 * 1000 : 0);
      expected.push_back(absl::StrCat("line ", random() % 3));
      entries.push_back({now - late, expected.back()});
    }
    std::vector<std::string> seen;
    LogLines lines(
        [&seen](absl::string_view line) { seen.emplace_back(line); });
    for (bool whole = false; !whole;) {
      const std::string log = LogSince(entries, lines.resume_from());
      whole = random() % 5 == 0;
      lines.Feed(whole ? log : log.substr(0, random() % (log.size() + 1)));
      lines.End(whole);
    }
    ASSERT_THAT(seen, ElementsAreArray(expected));
  }
}

class LogLinesByHandTest : public ::testing::Test {
 protected:
  std::vector<std::string> seen_;
  LogLines lines_{[this](absl::string_view line) { seen_.emplace_back(line); }};
};

TEST_F(LogLinesByHandTest, AClockThatIsSetBackHidesNothing) {
  lines_.Feed(
      "2026-01-01T11:00:00Z a\n"
      "2026-01-01T10:00:00Z b\n"
      "2026-01-01T10:00:01Z c\n");
  lines_.End(/*complete=*/false);
  EXPECT_LT(*lines_.resume_from(),
            absl::FromDateTime(2026, 1, 1, 10, 0, 1, absl::UTCTimeZone()));
  lines_.Feed(
      "2026-01-01T11:00:00Z a\n"
      "2026-01-01T10:00:00Z b\n"
      "2026-01-01T10:00:01Z c\n"
      "2026-01-01T10:00:02Z d\n");
  EXPECT_THAT(seen_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(LogLinesByHandTest, ALogThatLostItsBeginningGoesOnWithWhatIsNewer) {
  lines_.Feed("2026-01-01T10:00:01Z a\n");
  lines_.End(/*complete=*/false);
  lines_.Feed(
      "2026-01-01T10:00:02Z b\n"
      "2026-01-01T10:00:01.5Z c\n");
  EXPECT_THAT(seen_, ElementsAre("a", "b", "c"));
}

TEST_F(LogLinesByHandTest, WhatIsBeforeTheFirstLineStaysLeftOutAfterACut) {
  lines_.Feed("2026-01-01T10:00:03Z the last one\n");  // as with tail_lines
  lines_.End(/*complete=*/false);
  lines_.Feed(
      "2026-01-01T10:00:02Z the one before\n"
      "2026-01-01T10:00:03Z the last one\n"
      "2026-01-01T10:00:04Z a new one\n");
  EXPECT_THAT(seen_, ElementsAre("the last one", "a new one"));
}

// How one connection to the log goes.
struct Connection {
  std::string text;
  absl::Status end;
  absl::Duration lasts = absl::ZeroDuration();
};

// A pod whose container ends with the last of some connections to its log.
class ScriptedPod : public FakeKubeClient {
 public:
  ScriptedPod(FakeClock& clock, std::deque<Connection> connections)
      : clock_(clock), connections_(std::move(connections)) {}

  absl::StatusOr<json> Get(const Resource&, const std::string&,
                           const std::string&) override {
    if (!get_.ok()) return get_;
    const char* state = connections_.empty() ? "terminated" : "running";
    return json{
        {"status",
         {{"phase", "Running"},
          {where_, {{{"name", "main"}, {"state", {{state, {{"x", 1}}}}}}}}}}};
  }

  absl::Status ReadLog(const std::string&, const std::string&,
                       const LogOptions& options,
                       const ByteSink& sink) override {
    since_.push_back(options.since);
    if (connections_.empty()) return absl::InternalError("read too often");
    const Connection now = connections_.front();
    connections_.pop_front();
    clock_.Advance(now.lasts);
    if (!now.text.empty()) sink(now.text);
    return now.end;
  }

  absl::Status get_;
  const char* where_ = "containerStatuses";
  std::vector<std::optional<absl::Time>> since_;  // what was asked for

 private:
  FakeClock& clock_;
  std::deque<Connection> connections_;
};

class ReadWholeLogTest : public ::testing::Test {
 protected:
  ReadWholeLogTest() {
    options_.follow = true;
    follow_.backoff.clock = &clock_;
    follow_.backoff.total = absl::Minutes(10);
    follow_.backoff.sleep = [this](absl::Duration duration) {
      clock_.Advance(duration);
      return true;
    };
    follow_.on_lost = [this](const absl::Status& status) {
      lost_.emplace_back(status.message());
    };
  }

  absl::Status Read(KubeClient& client) {
    return ReadWholeLog(
        "ml", "w-train", options_, follow_, client,
        [this](absl::string_view line) { lines_.emplace_back(line); });
  }

  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  LogOptions options_;
  FollowOptions follow_;
  std::vector<std::string> lost_;
  std::vector<std::string> lines_;
};

const absl::Status kCut = absl::DataLossError("broke off");
const absl::Status kAway = absl::UnavailableError("away");

TEST_F(ReadWholeLogTest, SilenceBeforeACutIsNoOutage) {
  ScriptedPod pod(clock_, {{"2026-01-01T00:00:00Z a\n", kCut},
                           {"", kCut, absl::Minutes(11)},
                           {"", kCut, absl::Minutes(11)},
                           {"2026-01-01T00:30:00Z b\n", absl::OkStatus()}});
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a", "b"));
  EXPECT_THAT(lost_, IsEmpty());
}

TEST_F(ReadWholeLogTest, AProxyThatCutsSilentConnectionsMayDoSoForHours) {
  std::deque<Connection> connections(200, {"", kCut, absl::Seconds(50)});
  connections.push_back({"2026-01-01T00:00:00Z a\n", absl::OkStatus()});
  ScriptedPod pod(clock_, connections);
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(ReadWholeLogTest, AStreamThatEndsIsNoEndWhileTheContainerRuns) {
  std::deque<Connection> connections(500, {"", absl::OkStatus()});
  connections.push_back({"2026-01-01T00:00:00Z a\n", absl::OkStatus()});
  ScriptedPod pod(clock_, connections);
  const absl::Time begin = clock_.Now();
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a"));
  EXPECT_GT(clock_.Now() - begin, absl::Minutes(20));
}

TEST_F(ReadWholeLogTest, HalfALineIsAskedForAgain) {
  ScriptedPod pod(
      clock_,
      {{"2026-01-01T00:00:00Z a\n2026-01-01T00:00:01Z ha", absl::OkStatus()},
       {"2026-01-01T00:00:00Z a\n2026-01-01T00:00:01Z half a line\n",
        absl::OkStatus()}});
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a", "half a line"));
}

TEST_F(ReadWholeLogTest, TheLastLineNeedsNoEndOnceTheContainerHasEnded) {
  ScriptedPod pod(clock_, {{"2026-01-01T00:00:00Z a", absl::OkStatus()}});
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(ReadWholeLogTest, ANodeThatDoesNotAnswerIsToldOfOnce) {
  ScriptedPod pod(clock_, {{"", kAway},
                           {"", kAway},
                           {"2026-01-01T00:00:00Z a\n", kCut},
                           {"", kAway},
                           {"", kAway},
                           {"", absl::OkStatus()}});
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lost_, ElementsAre("away", "away"));
}

TEST_F(ReadWholeLogTest, GivesUpWhenTheLogIsOutOfReachForTooLong) {
  const absl::Time begin = clock_.Now();
  ScriptedPod pod(clock_, std::deque<Connection>(1000, {"", kAway}));
  EXPECT_THAT(Read(pod),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("away")));
  EXPECT_EQ(clock_.Now() - begin, absl::Minutes(10));
}

TEST_F(ReadWholeLogTest, AConnectionThatAlwaysBreaksAtOnceIsAnOutage) {
  ScriptedPod pod(clock_, std::deque<Connection>(1000, {"", kCut}));
  EXPECT_THAT(Read(pod), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ReadWholeLogTest, AnInterruptionInSilenceIsNotTheEndOfTheLog) {
  follow_.backoff.sleep = [](absl::Duration) { return false; };
  ScriptedPod pod(clock_, std::deque<Connection>(2, {"", absl::OkStatus()}));
  EXPECT_THAT(Read(pod), StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(ReadWholeLogTest, WhetherTheContainerHasEndedMustBeKnown) {
  ScriptedPod pod(clock_, {{"", absl::OkStatus()}, {"", absl::OkStatus()}});
  pod.get_ = absl::PermissionDeniedError("may not get pods");
  EXPECT_THAT(Read(pod), StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(ReadWholeLogTest, AnInitContainerEndsBeforeItsPod) {
  ScriptedPod pod(clock_, {{"2026-01-01T00:00:00Z a\n", absl::OkStatus()}});
  pod.where_ = "initContainerStatuses";
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(ReadWholeLogTest, WithoutFollowingTheEndOfTheStreamIsTheEnd) {
  options_.follow = false;
  ScriptedPod pod(clock_, {{"2026-01-01T00:00:00Z a\n", kCut},
                           {"2026-01-01T00:00:00Z a\n2026-01-01T00:00:01Z b",
                            absl::OkStatus()},
                           {"", absl::OkStatus()}});
  EXPECT_THAT(Read(pod), IsOk());
  EXPECT_THAT(lines_, ElementsAre("a", "b"));
  EXPECT_THAT(
      pod.since_,
      ElementsAre(std::nullopt, absl::FromDateTime(2025, 12, 31, 23, 59, 55,
                                                   absl::UTCTimeZone())));
}

}  // namespace
}  // namespace rekindle::argo
