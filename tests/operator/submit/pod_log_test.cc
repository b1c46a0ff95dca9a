#include "operator/submit/pod_log.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAreArray;

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
      // Some at the very same moment, and some with the same words.
      if (random() % 3 != 0) now += absl::Milliseconds(random() % 1500);
      expected.push_back(absl::StrCat("line ", random() % 3));
      entries.push_back({now, expected.back()});
    }
    std::vector<std::string> seen;
    LogLines lines(
        [&seen](absl::string_view line) { seen.emplace_back(line); });
    for (bool whole = false; !whole;) {
      const std::string log = LogSince(entries, lines.last());
      whole = random() % 5 == 0;
      lines.Feed(whole ? log : log.substr(0, random() % (log.size() + 1)));
      lines.End(whole);
    }
    ASSERT_THAT(seen, ElementsAreArray(expected));
  }
}

}  // namespace
}  // namespace rekindle::argo
