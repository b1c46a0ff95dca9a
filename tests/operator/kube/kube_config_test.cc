#include "operator/kube/kube_config.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KubeConfigTest : public ::testing::Test {
 protected:
  KubeConfigTest() {
    unsetenv("KUBECONFIG");
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
    setenv("HOME", folder_.path().c_str(), 1);
  }

  std::string Write(const std::string& name, const std::string& text) {
    return folder_.Write(name, text);
  }
  // A kubeconfig of one context, `fields` added to its cluster and its user.
  static std::string Kubeconfig(const std::string& cluster,
                                const std::string& user) {
    return absl::StrCat(
        "current-context: c\n"
        "contexts: [{name: c, context: {cluster: k, user: u, namespace: ml}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://h:6443/', ",
        cluster, "}}]\nusers: [{name: u, user: {", user, "}}]\n");
  }
  absl::StatusOr<KubeConfig> Load(const std::string& file,
                                  const std::string& context = "") {
    return LoadKubeConfig({file, context, folder_.path()});
  }

  TempDir folder_;
};

TEST_F(KubeConfigTest, ReadsTheCurrentContext) {
  const auto config = Load(Write("config", Kubeconfig("", "token: t")));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->server, "https://h:6443");
  EXPECT_EQ(config->default_namespace, "ml");
  EXPECT_EQ(config->user.token, "t");
  EXPECT_EQ(config->source, "context 'c'");
}

TEST_F(KubeConfigTest, TheFirstFileOfTheVariableThatSaysAThingIsRight) {
  const std::string first =
      Write("1",
            "current-context: a\n"
            "clusters: [{name: k, cluster: {server: 'https://one'}}]\n");
  const std::string second =
      Write("2",
            "current-context: b\n"
            "contexts: [{name: a, context: {cluster: k}}]\n"
            "clusters: [{name: k, cluster: {server: 'https://two'}}]\n");
  setenv("KUBECONFIG", absl::StrCat(first, ":/does/not/exist:", second).c_str(),
         1);
  const auto config = Load("");
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->server, "https://one");
}

TEST_F(KubeConfigTest, PathsAreRelativeToTheFileThatNamesThem) {
  Write("pki/ca.crt", "the authority");
  const auto config =
      Load(Write("config", Kubeconfig("certificate-authority: pki/ca.crt",
                                      "tokenFile: pki/token")));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->ca_pem, "the authority");
  EXPECT_EQ(config->user.token_file, JoinPath(folder_.path(), "pki/token"));
}

TEST_F(KubeConfigTest, InlineDataWinsOverAFile) {
  const auto config = Load(
      Write("config", Kubeconfig(absl::StrCat("certificate-authority: gone, "
                                              "certificate-authority-data: ",
                                              absl::Base64Escape("inline")),
                                 "token: t")));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->ca_pem, "inline");
}

TEST_F(KubeConfigTest, ReadsAPlugin) {
  const auto config = Load(
      Write("config",
            Kubeconfig("",
                       "exec: {apiVersion: client.authentication.k8s.io/v1, "
                       "command: ./get-token, args: [--cluster, k], "
                       "env: [{name: A, value: b}], installHint: ask IT}")));
  ASSERT_THAT(config, IsOk());
  ASSERT_TRUE(config->user.exec.has_value());
  EXPECT_EQ(config->user.exec->command,
            JoinPath(folder_.path(), "./get-token"));
  EXPECT_THAT(config->user.exec->args, ElementsAre("--cluster", "k"));
  EXPECT_EQ(config->user.exec->env.at("A"), "b");
}

TEST_F(KubeConfigTest, WhatIsEmptyIsAsGoodAsAbsent) {
  const auto config = Load(
      Write("config", Kubeconfig("proxy-url: '', tls-server-name: null",
                                 "token: t, exec: null, auth-provider: null, "
                                 "as-uid: '', as-user-extra: {}")));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->user.token, "t");
  EXPECT_FALSE(config->user.exec.has_value());
}

TEST_F(KubeConfigTest, APluginNeedNotBeInteractive) {
  for (const std::string mode : {"Never", "IfAvailable"}) {
    const auto config = Load(Write(
        "config",
        Kubeconfig("", absl::StrCat("exec: {apiVersion: client.authentication."
                                    "k8s.io/v1, command: x, interactiveMode: ",
                                    mode, "}"))));
    ASSERT_THAT(config, IsOk());
    EXPECT_TRUE(config->user.exec.has_value());
  }
}

TEST_F(KubeConfigTest, ReadsPasswordsAndImpersonation) {
  const auto config =
      Load(Write("config", Kubeconfig("",
                                      "username: ann, password: secret, "
                                      "as: bob, as-groups: [ml, ops]")));
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->user.username, "ann");
  EXPECT_EQ(config->user.password, "secret");
  EXPECT_EQ(config->user.impersonate, "bob");
  EXPECT_THAT(config->user.impersonate_groups, ElementsAre("ml", "ops"));
}

TEST_F(KubeConfigTest, APodUsesItsOwnAccount) {
  Write("ca.crt", "the authority");
  Write("namespace", "argo\n");
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  const auto config = Load("");
  ASSERT_THAT(config, IsOk());
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->default_namespace, "argo");
  EXPECT_EQ(config->user.token_file, JoinPath(folder_.path(), "token"));
}

TEST_F(KubeConfigTest, WithoutAnyClusterSaysWhereItLooked) {
  EXPECT_THAT(Load(""), StatusIs(absl::StatusCode::kFailedPrecondition,
                                 HasSubstr(".kube/config")));
}

TEST_F(KubeConfigTest, AnUnknownContextIsToldWhichThereAre) {
  EXPECT_THAT(Load(Write("config", Kubeconfig("", "token: t")), "prod"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("no context 'prod'; it has c")));
}

struct Refusal {
  std::string name;
  std::string cluster;
  std::string user;
  std::string message;
};
class RefusedKubeConfigTest : public KubeConfigTest,
                              public ::testing::WithParamInterface<Refusal> {};

TEST_P(RefusedKubeConfigTest, NamesWhatIsWrong) {
  const absl::Status refused =
      Load(Write("config", Kubeconfig(GetParam().cluster, GetParam().user)))
          .status();
  EXPECT_THAT(std::string(refused.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    KubeConfig, RefusedKubeConfigTest,
    ::testing::ValuesIn(std::vector<Refusal>{
        {"Proxy", "proxy-url: 'http://p'", "token: t", "'proxy-url'"},
        {"AuthProvider", "", "auth-provider: {name: gcp}", "'auth-provider'"},
        {"ImpersonatedUid", "", "as: bob, as-uid: '7'",
         "'as-uid' is not supported"},
        {"ImpersonatedExtra", "", "as: bob, as-user-extra: {scopes: [a]}",
         "'as-user-extra' is not supported"},
        {"NotBase64", "certificate-authority-data: '***'", "token: t",
         "'certificate-authority-data' is not base64"},
        {"MissingFile", "certificate-authority: gone.crt", "token: t",
         "gone.crt"},
        {"KeyWithoutCertificate", "",
         "client-key-data: YQ==", "need each other"},
        {"InsecureAndTrusting",
         "insecure-skip-tls-verify: true, certificate-authority-data: YQ==",
         "token: t", "contradict"},
        {"PluginWithoutCommand", "",
         "exec: {apiVersion: client.authentication.k8s.io/v1}", "no command"},
        {"PluginWithATerminal", "",
         "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
         "interactiveMode: Always}",
         "interactiveMode 'Always'"},
        {"OldPlugin", "", "exec: {apiVersion: v0, command: x}", "'v0'"},
        {"NotYaml", "server: [", "", "kubeconfig"},
        {"ListForText", "", "token: [a]", "'token' is not a plain value"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle::argo
