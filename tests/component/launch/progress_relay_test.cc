#include "component/launch/progress_relay.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file_util.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

class ProgressRelayTest : public ::testing::Test {
 protected:
  // What the orchestrator reads after the child wrote `text`.
  std::string AfterRelayOf(const std::string& text) {
    dir_.Write("from", text);
    relay_.Relay();
    return PathExists(dir_ / "to") ? *ReadFile(dir_ / "to") : "nothing";
  }

  TempDir dir_;
  ProgressRelay relay_{dir_ / "from", dir_ / "to"};
};

TEST_F(ProgressRelayTest, PassesOnAFraction) {
  EXPECT_EQ(AfterRelayOf("0/200\n"), "0/200");
  EXPECT_EQ(AfterRelayOf("17/200"), "17/200");
  EXPECT_EQ(AfterRelayOf("200/200"), "200/200");
}

TEST_F(ProgressRelayTest, ASilentChildIsNoProgress) {
  relay_.Relay();
  EXPECT_FALSE(PathExists(dir_ / "to"));
}

TEST_F(ProgressRelayTest, KeepsToWhatItTold) {
  EXPECT_EQ(AfterRelayOf("17/200"), "17/200");
  for (const char* nonsense : {"", "17", "18/", "/200", "201/200", "-1/200",
                               "0/0", "half", "18/200/3", "1.5/2"}) {
    EXPECT_EQ(AfterRelayOf(nonsense), "17/200") << nonsense;
  }
}

TEST_F(ProgressRelayTest, WritesOnlyWhatHasChanged) {
  AfterRelayOf("17/200");
  dir_.Write("to", "read and marked by the orchestrator");
  EXPECT_EQ(AfterRelayOf("17/200"), "read and marked by the orchestrator");
}

TEST_F(ProgressRelayTest, WithoutAnOrchestratorNothingIsWritten) {
  ProgressRelay nobody(dir_.Write("from", "1/2"), "");
  nobody.Relay();
}

}  // namespace
}  // namespace rekindle
