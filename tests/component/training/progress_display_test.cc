#include "component/io/progress_display.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProgressDisplayTest : public ::testing::Test {
 protected:
  ProgressDisplay MakeDisplay(bool is_terminal, int columns = 80) {
    return ProgressDisplay({.out = &out_,
                            .is_terminal = is_terminal,
                            .columns = [columns] { return columns; },
                            .now = [this] { return now_; }});
  }

  // What was written since the last call.
  std::string Written() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }

  // 20 steps of 64 examples a second, of 1000 steps.
  static TrainingProgress At(int64_t step) {
    return {.step = step,
            .total_steps = 1000,
            .examples = 64 * step,
            .loss = 0.52345};
  }
  void Train(ProgressDisplay& display, int64_t from, int64_t to) {
    for (int64_t step = from; step <= to; ++step) {
      now_ += absl::Milliseconds(50);
      display.Update(At(step));
    }
  }

  std::ostringstream out_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
};

TEST_F(ProgressDisplayTest, ATerminalShowsABarInOneLine) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/true);
  Train(display, 1, 500);
  display.Finish();
  const std::string text = Written();
  EXPECT_EQ(text.substr(text.rfind('\r')),
            "\r\x1b[K[==========>         ] step 500/1000 | loss 0.5234 | ETA "
            "0:25 | 1280 examples/s\n");
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST_F(ProgressDisplayTest, ABarIsRedrawnTenTimesASecondAtMost) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/true);
  Train(display, 1, 200);                                   // ten seconds
  EXPECT_EQ(std::ranges::count(Written(), '['), 100 + 99);  // and "\x1b["
}

TEST_F(ProgressDisplayTest, ElsewhereThereAreFewAndPlainLines) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/false);
  Train(display, 1, 500);  // 25 seconds
  display.Finish();
  const std::vector<std::string> lines = absl::StrSplit(Written(), '\n');
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "step 1/1000 | loss 0.5234");
  EXPECT_EQ(lines[1],
            "step 201/1000 | loss 0.5234 | ETA 0:40 | 1280 examples/s");
  EXPECT_THAT(lines[3], StartsWith("step 500/1000"));
  EXPECT_EQ(lines[4], "");
}

TEST_F(ProgressDisplayTest, ALineOfTextGoesAboveTheBar) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/true);
  Train(display, 1, 1);
  Written();
  display.Print("saved");
  EXPECT_EQ(Written(), "\r\x1b[Ksaved\n");
  Train(display, 2, 3);
  EXPECT_THAT(Written(), StartsWith("["));
}

TEST_F(ProgressDisplayTest, NoLineIsWiderThanTheTerminal) {
  for (int columns = 0; columns <= 120; ++columns) {
    ProgressDisplay display = MakeDisplay(/*is_terminal=*/true, columns);
    Train(display, 1, 300);
    Written();
    Train(display, 301, 303);
    const std::string text = Written();
    const auto line = text.substr(text.rfind("\x1b[K") + 3);
    EXPECT_LT(static_cast<int>(line.size()), std::max(columns, 1)) << line;
    EXPECT_EQ(line.find("step 303/1000") != std::string::npos, columns > 13);
    EXPECT_EQ(line.find("examples/s") != std::string::npos, columns > 56);
  }
}

TEST_F(ProgressDisplayTest, TheRateFollowsAChangeOfSpeed) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/false);
  Train(display, 1, 100);
  for (int64_t step = 101; step <= 200; ++step) {
    now_ += absl::Seconds(1);
    display.Update(At(step));
  }
  display.Finish();
  const std::string text = Written();
  EXPECT_THAT(
      text.substr(text.rfind("ETA")),
      ::testing::AllOf(HasSubstr("64.1 examples/s"), StartsWith("ETA 13:20")));
}

TEST_F(ProgressDisplayTest, AClockSetBackDoesNotSilenceIt) {
  ProgressDisplay display = MakeDisplay(/*is_terminal=*/true);
  Train(display, 1, 10);
  Written();
  now_ -= absl::Hours(1);
  Train(display, 11, 11);
  EXPECT_THAT(Written(), HasSubstr("step 11/1000"));
  Train(display, 12, 30);
  EXPECT_THAT(Written(), Not(HasSubstr("-")));
}

TEST_F(ProgressDisplayTest, WithoutProgressNothingIsShown) {
  MakeDisplay(/*is_terminal=*/true).Finish();
  EXPECT_EQ(Written(), "");
}

}  // namespace
}  // namespace rekindle
