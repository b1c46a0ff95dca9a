#include "operator/kube/credentials.h"

#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_config.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

class CredentialsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }
  // A plugin that numbers its tokens, each good for a minute of `clock_`.
  KubeConfig PluginOf(const std::string& body) {
    const std::string script = folder_.Write(
        "plugin",
        absl::StrCat("#!/bin/sh\ncd '", folder_.path(), "'\n", body, "\n"));
    chmod(script.c_str(), 0755);
    KubeConfig config;
    config.server = "https://cluster";
    config.user.exec = {
        "client.authentication.k8s.io/v1", script, {}, {}, "", true};
    return config;
  }
  KubeConfig Printing(const std::string& text) {
    return PluginOf(absl::StrCat("echo '", text, "'"));
  }
  KubeConfig CountingPlugin() {
    return PluginOf(
        "echo x >>runs; n=$(wc -l <runs)\n"
        "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",'\n"
        "printf '\"status\":{\"token\":\"t%s\",\"expirationTimestamp\":'  $n\n"
        "printf '\"1970-01-01T00:0%s:00Z\"}}' $n");
  }

  TempDir folder_;
  FakeClock clock_{absl::UnixEpoch()};
};

TEST_F(CredentialsTest, APluginRunsAgainShortlyBeforeItsTokenExpires) {
  Credentials credentials(CountingPlugin(), clock_);
  EXPECT_EQ(credentials.Get()->token, "t1");
  clock_.Advance(absl::Seconds(49));
  EXPECT_EQ(credentials.Get()->token, "t1");
  clock_.Advance(absl::Seconds(2));
  EXPECT_EQ(credentials.Get()->token, "t2");
}

TEST_F(CredentialsTest, ARefusedTokenIsNotUsedAgain) {
  Credentials credentials(CountingPlugin(), clock_);
  const auto first = credentials.Get();
  ASSERT_THAT(first, IsOk());
  EXPECT_TRUE(credentials.Refused(*first));
  EXPECT_EQ(credentials.Get()->token, "t2");
  // Someone else was refused with the old one: the new one stays.
  EXPECT_TRUE(credentials.Refused(*first));
  EXPECT_EQ(credentials.Get()->token, "t2");
}

TEST_F(CredentialsTest, APluginIsToldOfItsCluster) {
  Credentials credentials(
      PluginOf("echo \"$KUBERNETES_EXEC_INFO\" >info; exit 3"), clock_);
  EXPECT_THAT(credentials.Get(), StatusIs(absl::StatusCode::kUnauthenticated,
                                          HasSubstr("exit code 3")));
  const auto info = nlohmann::json::parse(ReadFile(Path("info")).value());
  EXPECT_EQ(info["kind"], "ExecCredential");
  EXPECT_EQ(info["spec"]["cluster"]["server"], "https://cluster");
}

TEST_F(CredentialsTest, AMissingPluginComesWithItsHint) {
  KubeConfig config = CountingPlugin();
  config.user.exec->command = "rekindle-no-such-plugin";
  config.user.exec->install_hint = "run: brew install it";
  Credentials credentials(config, clock_);
  EXPECT_THAT(credentials.Get(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not installed; run: brew install it")));
}

TEST_F(CredentialsTest, WhatIsNoCredentialIsRefused) {
  Credentials nothing(PluginOf("echo hello"), clock_);
  EXPECT_THAT(nothing.Get(), StatusIs(absl::StatusCode::kUnauthenticated,
                                      HasSubstr("ExecCredential")));
  Credentials other(
      PluginOf("echo '{\"apiVersion\":\"v0\",\"status\":{\"token\":\"t\"}}'"),
      clock_);
  EXPECT_THAT(other.Get(),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("'v0'")));
}

TEST_F(CredentialsTest, WhatIsNullIsAsGoodAsAbsent) {
  Credentials credentials(
      Printing(R"({"apiVersion":"client.authentication.k8s.io/v1","status":)"
               R"({"token":"t","expirationTimestamp":null,)"
               R"("clientCertificateData":null}})"),
      clock_);
  const auto credential = credentials.Get();
  ASSERT_THAT(credential, IsOk());
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->expires, absl::InfiniteFuture());
}

TEST_F(CredentialsTest, WhatIsNotTextIsRefused) {
  Credentials version(Printing(R"({"apiVersion":1,"status":{"token":"t"}})"),
                      clock_);
  EXPECT_THAT(version.Get(), StatusIs(absl::StatusCode::kUnauthenticated));
  Credentials token(
      Printing(R"({"apiVersion":"client.authentication.k8s.io/v1",)"
               R"("status":{"token":7}})"),
      clock_);
  EXPECT_THAT(token.Get(), StatusIs(absl::StatusCode::kUnauthenticated,
                                    HasSubstr("not text")));
}

TEST_F(CredentialsTest, APluginThatHangsEndsWhenWeAreInterrupted) {
  // The plugin itself tells when it is time.
  ASSERT_EQ(mkfifo(Path("interrupt").c_str(), 0600), 0);
  const int cancel_fd = open(Path("interrupt").c_str(), O_RDWR | O_CLOEXEC);
  Credentials credentials(
      PluginOf("echo $$ >pid; echo now >interrupt; exec sleep 250"), clock_,
      cancel_fd);
  EXPECT_THAT(credentials.Get(), StatusIs(absl::StatusCode::kCancelled));
  close(cancel_fd);
  int pid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(ReadFile(Path("pid")).value(), &pid));
  EXPECT_EQ(kill(pid, 0), -1) << "it still runs";
}

TEST_F(CredentialsTest, ATokenFileIsReadAgain) {
  KubeConfig config;
  config.user.token_file = Path("token");
  Credentials credentials(config, clock_);
  EXPECT_THAT(credentials.Get(), StatusIs(absl::StatusCode::kNotFound));
  folder_.Write("token", "one\n");
  const auto first = credentials.Get();
  EXPECT_EQ(first->token, "one");
  EXPECT_FALSE(credentials.Refused(*first));
  folder_.Write("token", "two\n");
  EXPECT_TRUE(credentials.Refused(*first));
  EXPECT_EQ(credentials.Get()->token, "two");
}

}  // namespace
}  // namespace rekindle::argo
