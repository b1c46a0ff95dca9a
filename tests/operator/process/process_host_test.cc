#include "operator/process/process_host.h"

#include <csignal>
#include <memory>
#include <poll.h>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

class ProcessHostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RK_ASSERT_OK_AND_ASSIGN(host_, ProcessHost::Start());
  }

  ProcessSpec Shell(const std::string& script) const {
    ProcessSpec spec;
    spec.argv = {"sh", "-c", script};
    spec.search_path = "/usr/bin:/bin";
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.folder = dir_.path();
    spec.log_path = dir_ / "log";
    return spec;
  }

  // The next process that has ended.
  ProcessReport Next() {
    while (true) {
      pollfd polled = {host_->fd(), POLLIN, 0};
      poll(&polled, 1, -1);
      auto ended = host_->Collect();
      EXPECT_TRUE(ended.ok()) << ended.status();
      if (!ended.ok()) return {};
      if (!ended->empty()) return std::move(ended->front());
    }
  }

  const TempDir dir_;
  std::unique_ptr<ProcessHost> host_;
};

TEST_F(ProcessHostTest, AProcessGivesItsOutputAndItsExitCode) {
  ProcessSpec spec = Shell("echo out; echo err >&2; exit 3");
  spec.capture_output = true;
  ASSERT_THAT(host_->Run(1, spec), IsOk());
  const ProcessReport report = Next();
  EXPECT_EQ(report.end.exit_code, 3);
  EXPECT_EQ(report.output, "out\n");
  EXPECT_THAT(*ReadFile(spec.log_path), HasSubstr("err\n"));
}

// It would otherwise shift the strings behind it, in the process between us.
TEST_F(ProcessHostTest, AStringWithANulByteIsRefused) {
  ProcessSpec spec = Shell("true");
  spec.argv.push_back(std::string("a\0b", 3));
  EXPECT_THAT(host_->Run(1, spec), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("NUL byte")));
  ASSERT_THAT(host_->Run(2, Shell("true")), IsOk());
  EXPECT_EQ(Next().id, 2);
}

TEST_F(ProcessHostTest, WhoWritesWithoutEndDoesNotKeepUsFromOthers) {
  ProcessSpec endless = Shell("exec yes");
  endless.capture_output = true;
  endless.log_path = "/dev/null";
  ASSERT_THAT(host_->Run(1, endless), IsOk());
  ASSERT_THAT(host_->Run(2, Shell("true")), IsOk());
  EXPECT_EQ(Next().id, 2);
  host_->Signal(1, SIGKILL);
  EXPECT_EQ(Next().end.signal, SIGKILL);
}

TEST_F(ProcessHostTest, ALogThatIsAPipeIsNotWaitedFor) {
  ProcessSpec spec = Shell("true");
  ASSERT_EQ(mkfifo(spec.log_path.c_str(), 0600), 0);
  EXPECT_FALSE(host_->Run(1, spec).ok());
}

}  // namespace
}  // namespace rekindle::argo
