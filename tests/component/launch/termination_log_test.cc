#include "component/launch/termination_log.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "base/utf8.h"
#include "component/launch/failure.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::EndsWith;

absl::Status Error(const std::string& message) {
  return WithReason(FailureReason::kOutOfMemory,
                    absl::ResourceExhaustedError(message));
}

TEST(TerminationLogTest, IsOneLineWithReasonAndMessage) {
  EXPECT_EQ(TerminationMessage(Error("the trainer\nwas killed")),
            "OUT_OF_MEMORY: the trainer was killed\n");
}

TEST(TerminationLogTest, FitsWhatKubernetesReads) {
  for (const size_t more : {0, 1, 2}) {  // wherever a character is cut
    std::string message(more, 'x');
    for (int i = 0; i < 3000; ++i) message += "\xC3\xA9";
    const std::string line = TerminationMessage(Error(message));
    EXPECT_LE(line.size(), kMostTerminationBytes);
    EXPECT_GE(line.size(), kMostTerminationBytes - 2);
    EXPECT_TRUE(IsValidUtf8(line));
    EXPECT_THAT(line, EndsWith(" ...\n"));
  }
}

TEST(TerminationLogTest, ReplacesWhatIsInTheFileInPlace) {
  const TempDir dir;
  const std::string path = dir.Write("log", std::string(9000, 'x'));
  WriteTerminationLog(path, Error("now"));
  EXPECT_EQ(*ReadFile(path), "OUT_OF_MEMORY: now\n");
}

TEST(TerminationLogTest, AFolderThatIsNotThereIsNoReasonToFail) {
  WriteTerminationLog("/no/such/folder/log", Error("now"));
}

TEST(ReasonOfVanishedTest, KnowsOutOfMemoryFromWhatArgoSays) {
  for (const char* text :
       {"main: OOMKilled (exit code 137)", "main: Error (exit code 137)",
        "OOMKilled (exit code 137): OUT_OF_MEMORY: the trainer"}) {
    EXPECT_EQ(ReasonOfVanished(text), FailureReason::kOutOfMemory) << text;
  }
  for (const char* text :
       {"The node was low on resource: ephemeral-storage. Evicted",
        "pod deleted", "node lost", "main: Error (exit code 143)"}) {
    EXPECT_EQ(ReasonOfVanished(text), FailureReason::kLauncherLost) << text;
  }
}

TEST(FailureReasonTest, EveryNameIsThatOfItsReason) {
  for (int i = 0; i <= static_cast<int>(FailureReason::kLauncherLost); ++i) {
    const auto reason = static_cast<FailureReason>(i);
    EXPECT_EQ(FindFailureReason(FailureReasonName(reason)), reason);
  }
  EXPECT_EQ(FindFailureReason("UNHEARD_OF"), std::nullopt);
}

}  // namespace
}  // namespace rekindle
