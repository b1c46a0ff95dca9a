#include "component/launch/step_log.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_util.h"
#include "base/utf8.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(LogTailTest, KeepsTheLastWholeLinesThatFit) {
  LogTail tail(12);
  EXPECT_EQ(tail.Text(), "");
  for (const char* line : {"first", "second", "third"}) tail.Add(line);
  EXPECT_EQ(tail.Text(), "third\n") << "second would make it 13 bytes";
  tail.Add("");
  EXPECT_EQ(tail.Text(), "third\n\n");
}

TEST(LogTailTest, KeepsTheEndOfALineThatAloneIsTooMuch) {
  LogTail tail(10);
  tail.Add("a line that never ends");
  EXPECT_EQ(tail.Text(), "ever ends\n");
}

TEST(LogTailTest, IsTextWhateverTheChildPrinted) {
  LogTail tail(100);
  tail.Add("caf\xC3\xA9 \xFF\xFE");
  EXPECT_TRUE(IsValidUtf8(tail.Text())) << tail.Text();
  LogTail narrow(5);
  narrow.Add("\xE2\x82\xAC\xE2\x82\xAC");  // two euro signs; one fits
  EXPECT_EQ(narrow.Text(), "\xE2\x82\xAC\n");
}

TEST(StepLogTest, EveryAttemptAppends) {
  const TempDir dir;
  StepLog(dir.path()).Add("first attempt");
  StepLog(dir.path()).Add("second attempt");
  EXPECT_EQ(*ReadFile(dir / "log.txt"), "first attempt\nsecond attempt\n");
}

TEST(StepLogTest, ARunawayLogIsBoundedAndSaysSo) {
  const TempDir dir;
  constexpr uintmax_t kLimit = 1000;
  StepLog log(dir.path(), kLimit);
  for (int i = 0; i < 10'000; ++i) log.Add("line " + std::to_string(i));
  EXPECT_LE(std::filesystem::file_size(dir / "log.txt"), kLimit);
  EXPECT_LE(std::filesystem::file_size(dir / "log.1.txt"), kLimit);
  EXPECT_THAT(*ReadFile(dir / "log.txt"),
              StartsWith("[rekindle: the log grew"));
  EXPECT_THAT(*ReadFile(dir / "log.txt"), EndsWith("line 9999\n"));
}

TEST(StepLogTest, AFolderThatCannotBeWrittenIsNoReasonToFail) {
  StepLog("/no/such/folder").Add("lost");
}

}  // namespace
}  // namespace rekindle
