#include "cli/argo/log_printer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

TEST(MakeLineFilterTest, LetsLinesWithAMatchPass) {
  RK_ASSERT_OK_AND_ASSIGN(const LineFilter filter,
                          MakeLineFilter("loss=0\\.[0-4]|^end"));
  EXPECT_TRUE(filter("step 7 loss=0.31"));
  EXPECT_FALSE(filter("step 7 loss=0.71"));
  EXPECT_FALSE(filter("the end"));
}

TEST(MakeLineFilterTest, SaysWhatIsWrongWithAPattern) {
  EXPECT_THAT(MakeLineFilter("a(b"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'a(b' is not a regular expression: ")));
}

TEST(MakeLineFilterTest, ALongLineIsALineLikeAnother) {
  RK_ASSERT_OK_AND_ASSIGN(const LineFilter filter, MakeLineFilter("(a|b)*c"));
  const std::string line(4'000'000, 'a');
  EXPECT_FALSE(filter(line));
  EXPECT_TRUE(filter(line + "c"));
}

TEST(LogPrinterTest, PrintsTheNodeInFrontOfWhatPasses) {
  RK_ASSERT_OK_AND_ASSIGN(LineFilter filter, MakeLineFilter("^step"));
  LogPrinter printer(std::move(filter));
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(printer.Print("train", "step 1"), IsOk());
  EXPECT_THAT(printer.Print("train", "other"), IsOk());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "train: step 1\n");
}

}  // namespace
}  // namespace rekindle
