#include "operator/pods/log_limit.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr size_t kMost = 4096;

class LogLimitTest : public ::testing::Test {
 protected:
  // A line of ten bytes for each number.
  void Append(int first, int count) const {
    std::ofstream log(path_, std::ios::app);
    for (int i = first; i < first + count; ++i) {
      log << absl::StrCat("line ", 1000 + i, "\n");
    }
  }
  std::string Limited() {
    EXPECT_THAT(LimitLog(path_, kMost, dropped_), IsOk());
    return *ReadFile(path_);
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "a.log";
  DroppedLog dropped_;
};

TEST_F(LogLimitTest, AShortLogStaysAsItIs) {
  Append(0, 409);
  EXPECT_EQ(Limited().size(), 4090);
  EXPECT_EQ(dropped_.bytes, 0);
}

TEST_F(LogLimitTest, OfALongOneTheEndIsKeptWithANote) {
  Append(0, 1000);
  const std::string log = Limited();
  EXPECT_LT(log.size(), kMost / 2 + 200);
  EXPECT_THAT(log, StartsWith("rekindle: the first 7960 bytes of this log were "
                              "dropped; at most 4096 are kept "
                              "(--max-log-bytes)\nline 1796\n"));
  EXPECT_THAT(log, EndsWith("line 1999\n"));
}

TEST_F(LogLimitTest, TheNoteCountsWhatWasDroppedBefore) {
  Append(0, 1000);
  Limited();
  Append(1000, 1000);
  const std::string log = Limited();
  EXPECT_THAT(log, StartsWith("rekindle: the first 17960 bytes"));
  EXPECT_THAT(log, EndsWith("line 2999\n"));
}

TEST_F(LogLimitTest, WithoutALogThereIsNothingToDo) {
  EXPECT_THAT(LimitLog(path_, kMost, dropped_), IsOk());
  EXPECT_FALSE(PathExists(path_));
}

}  // namespace
}  // namespace rekindle::argo
