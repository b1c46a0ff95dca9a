#include "cli/exit_code.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::Eq;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

// Writes to `fd` as our standard output, and ends as a command does.
[[noreturn]] void WriteTo(int fd) {
  std::signal(SIGPIPE, SIG_IGN);
  dup2(fd, STDOUT_FILENO);
  std::cout << "a line\n" << std::flush;
  std::_Exit(Fail(CheckOutput()));
}

[[noreturn]] void WriteToAPipeThatNobodyReads() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) std::_Exit(kUsage);
  close(ends[0]);
  WriteTo(ends[1]);
}

TEST(CheckOutputTest, IsContentWithAnOutputThatTakesWhatIsWritten) {
  EXPECT_THAT(CheckOutput(), IsOk());
}

TEST(CheckOutputTest, WhenNobodyReadsItEndsSilentlyAsASignalWould) {
  EXPECT_EXIT(WriteToAPipeThatNobodyReads(), ExitedWithCode(128 + SIGPIPE),
              Eq(""));
}

TEST(CheckOutputTest, AFullDiskIsAnErrorThatIsToldOf) {
  EXPECT_EXIT(WriteTo(open("/dev/full", O_WRONLY | O_CLOEXEC)),
              ExitedWithCode(1), HasSubstr("standard output"));
}

}  // namespace
}  // namespace rekindle
