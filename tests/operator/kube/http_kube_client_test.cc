#include "operator/kube/http_kube_client.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <httplib.h>
#include <memory>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/event_fd.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/kube_error.h"
#include "operator/kube/resource.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kWorkflowsPath[] =
    "/apis/argoproj.io/v1alpha1/namespaces/ml/workflows";

std::unique_ptr<KubeClient> ClientOf(
    const KubeConfig& config, const HttpKubeClientOptions& options = {}) {
  return MakeHttpKubeClient(config, options).value();
}

// Answers every GET with `status` and `body`.
void AlwaysAnswer(ApiServer& server, int status, const std::string& body) {
  server.http().Get(".*", [status, body](const httplib::Request&,
                                         httplib::Response& response) {
    response.status = status;
    response.set_content(body, "application/json");
  });
}

TEST(HttpKubeClientTest, SendsTheTokenOverTlsToTheServerItTrusts) {
  ApiServer server;
  server.http().Get(
      absl::StrCat(kWorkflowsPath, "/a"),
      [](const httplib::Request& request, httplib::Response& response) {
        response.set_content(
            json{{"got", request.get_header_value("Authorization")}}.dump(),
            "application/json");
      });
  server.Start();
  const auto answer = ClientOf(server.Config())->Get(kWorkflows, "ml", "a");
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ((*answer)["got"], "Bearer secret");
}

// The headers of a request that is made by `config`, which `change` has
// changed.
httplib::Headers HeadersOf(const std::function<void(KubeConfig&)>& change) {
  ApiServer server;
  httplib::Headers headers;
  server.http().Get(".*", [&headers](const httplib::Request& request,
                                     httplib::Response& response) {
    headers = request.headers;
    response.set_content("{}", "application/json");
  });
  server.Start();
  KubeConfig config = server.Config();
  change(config);
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
  return headers;
}

TEST(HttpKubeClientTest, ProvesItselfWithANameAndAPassword) {
  const auto headers = HeadersOf([](KubeConfig& config) {
    config.user.token = "";
    config.user.username = "ann";
    config.user.password = "s:cret";
  });
  // "ann:s:cret"
  EXPECT_THAT(headers,
              Contains(Pair("Authorization", "Basic YW5uOnM6Y3JldA==")));
}

TEST(HttpKubeClientTest, ATokenComesBeforeANameAndAPassword) {
  const auto headers = HeadersOf([](KubeConfig& config) {
    config.user.username = "ann";
    config.user.password = "s:cret";
  });
  EXPECT_EQ(headers.count("Authorization"), 1);
  EXPECT_THAT(headers, Contains(Pair("Authorization", "Bearer secret")));
}

TEST(HttpKubeClientTest, ActsAsAnotherUserOfSeveralGroups) {
  const auto headers = HeadersOf([](KubeConfig& config) {
    config.user.impersonate = "bob";
    config.user.impersonate_groups = {"ml", "ops"};
  });
  // By its own right to do so.
  EXPECT_THAT(headers, Contains(Pair("Authorization", "Bearer secret")));
  EXPECT_THAT(headers, Contains(Pair("Impersonate-User", "bob")));
  EXPECT_THAT(headers, Contains(Pair("Impersonate-Group", "ml")));
  EXPECT_THAT(headers, Contains(Pair("Impersonate-Group", "ops")));
}

TEST(HttpKubeClientTest, WithoutImpersonationActsAsNobodyElse) {
  const auto headers = HeadersOf([](KubeConfig&) {});
  EXPECT_EQ(headers.count("Impersonate-User"), 0);
  EXPECT_EQ(headers.count("Impersonate-Group"), 0);
}

TEST(HttpKubeClientTest, AServerOfAnotherAuthorityIsNotTrusted) {
  ApiServer server;
  AlwaysAnswer(server, 200, "{}");
  server.Start();
  KubeConfig config = server.Config();
  config.ca_pem = TestCertificates().Pem("ca.crt");
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not to be trusted")));
}

TEST(HttpKubeClientTest, OnlyTheNamedAuthorityIsTrustedNotThoseOfTheMachine) {
  ApiServer server;
  AlwaysAnswer(server, 200, "{}");
  server.Start();
  // To this machine the server's authority is one of its own.
  setenv("SSL_CERT_FILE", server.certificates().Path("ca.crt").c_str(), 1);
  KubeConfig config = server.Config();
  config.ca_pem = "";
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
  config.ca_pem = TestCertificates().Pem("ca.crt");
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  unsetenv("SSL_CERT_FILE");
}

TEST(HttpKubeClientTest, AServerOfAnotherNameIsNotTrusted) {
  ApiServer server;
  AlwaysAnswer(server, 200, "{}");
  server.Start();
  KubeConfig config = server.Config();
  config.tls_server_name = "other.test";
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not to be trusted")));
  config.tls_server_name = "api.test";
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
  config.tls_server_name = "";
  config.ca_pem = "";
  config.insecure_skip_tls_verify = true;
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
}

TEST(HttpKubeClientTest, TheCaseOfLettersInAServersNameDoesNotMatter) {
  ApiServer server;
  AlwaysAnswer(server, 200, "{}");
  server.Start();
  KubeConfig config = server.Config();
  for (const char* name : {"API.Test", "up.test"}) {
    config.tls_server_name = name;
    EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk()) << name;
  }
  config.tls_server_name = "";
  config.server =
      absl::StrReplaceAll(server.address(), {{"127.0.0.1", "LocalHost"}});
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
}

TEST(HttpKubeClientTest, ProvesItselfWithAClientCertificate) {
  ApiServer server(/*wants_client_certificate=*/true);
  AlwaysAnswer(server, 200, "{}");
  server.Start();
  KubeConfig config = server.Config();
  config.user.token = "";
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kUnavailable));
  config.user.client_cert_pem = server.certificates().Pem("client.crt");
  config.user.client_key_pem = server.certificates().Pem("client.key");
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"), IsOk());
  config.user.client_key_pem = server.certificates().Pem("server.key");
  EXPECT_THAT(ClientOf(config)->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("client key of context 'test'")));
}

TEST(HttpKubeClientTest, AnExpiredTokenOfAPluginIsRenewedOnce) {
  ApiServer server;
  std::atomic<int> asked = 0;
  server.http().Get(".*", [&asked](const httplib::Request& request,
                                   httplib::Response& response) {
    ++asked;
    const bool fresh = request.get_header_value("Authorization") == "Bearer t2";
    response.status = fresh ? 200 : 401;
    response.set_content(
        fresh ? "{}" : StatusBody(401, "Unauthorized", "Unauthorized"),
        "application/json");
  });
  server.Start();
  const TempDir folder;
  const std::string script = folder.Write(
      "plugin",
      absl::StrCat("#!/bin/sh\necho x >>'", folder.path(), "/runs'\n",
                   "printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\""
                   ",\"status\":{\"token\":\"t%s\"}}' $(wc -l <'",
                   folder.path(), "/runs')\n"));
  chmod(script.c_str(), 0755);
  KubeConfig config = server.Config();
  config.user.token = "";
  config.user.exec = {
      "client.authentication.k8s.io/v1", script, {}, {}, "", false};
  const auto client = ClientOf(config);
  EXPECT_THAT(client->Get(kWorkflows, "ml", "a"), IsOk());
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(client->Get(kWorkflows, "ml", "a"), IsOk());
  EXPECT_EQ(asked, 3);
}

TEST(HttpKubeClientTest, ATokenThatCannotBeRenewedIsRefusedInOneSentence) {
  ApiServer server;
  AlwaysAnswer(server, 401, StatusBody(401, "Unauthorized", "Unauthorized"));
  server.Start();
  EXPECT_THAT(
      ClientOf(server.Config())->Get(kWorkflows, "ml", "a"),
      StatusIs(absl::StatusCode::kUnauthenticated,
               AllOf(HasSubstr(server.address()), HasSubstr("context 'test'"),
                     HasSubstr("expired"))));
}

TEST(HttpKubeClientTest, AnUnreachableClusterIsNamed) {
  ApiServer server;  // bound, and closed before anyone connects
  const KubeConfig config = server.Config();
  server.Start();
  server.Stop();
  EXPECT_THAT(
      ClientOf(config)->Get(kWorkflows, "ml", "a"),
      StatusIs(absl::StatusCode::kUnavailable,
               AllOf(HasSubstr(config.server), HasSubstr("context 'test'"))));
}

TEST(HttpKubeClientTest, AListIsPutTogetherFromItsPages) {
  ApiServer server;
  std::atomic<bool> forgot = false;
  server.http().Get(kWorkflowsPath, [&forgot](const httplib::Request& request,
                                              httplib::Response& response) {
    json page = {{"metadata", {{"resourceVersion", "7"}}}};
    const std::string at = request.get_param_value("continue");
    if (at.empty()) {
      page["items"] = {{{"n", 1}}, {{"n", 2}}, "no object"};
      page["metadata"]["continue"] = "a b/=";
    } else if (at == "a b/=" && !forgot.exchange(true)) {
      // The first time it took us too long.
      response.status = 410;
      page = json::parse(StatusBody(410, "Expired", "too old"));
    } else {
      page["items"] = json::array({{{"n", 3}}});
    }
    response.set_content(page.dump(), "application/json");
  });
  server.Start();
  const auto list = ClientOf(server.Config())->List(kWorkflows, "ml", {});
  ASSERT_THAT(list, IsOk());
  EXPECT_EQ((*list)["items"], json::parse(R"([{"n":1},{"n":2},{"n":3}])"));
  EXPECT_EQ((*list)["metadata"]["resourceVersion"], "7");
}

TEST(HttpKubeClientTest, AWatchAsksForBookmarksFromWhereItIs) {
  ApiServer server;
  std::string query;
  server.http().Get(kWorkflowsPath, [&query](const httplib::Request& request,
                                             httplib::Response& response) {
    for (const auto* name :
         {"watch", "allowWatchBookmarks", "resourceVersion", "fieldSelector"}) {
      absl::StrAppend(&query, request.get_param_value(name), " ");
    }
    response.set_chunked_content_provider(
        "application/json", [](size_t, httplib::DataSink& sink) {
          const std::string event =
              R"({"type":"ADDED","object":{"metadata":{"resourceVersion":)"
              "\"9\"}}}\n";
          sink.write(event.data(), event.size());
          sink.done();
          return true;
        });
  });
  server.Start();
  std::vector<std::string> versions;
  EXPECT_THAT(ClientOf(server.Config())
                  ->Watch(kWorkflows, "ml",
                          {{"", "metadata.name=a"}, "8", absl::Minutes(1)},
                          [&versions](const WatchEvent& event) {
                            versions.push_back(event.ResourceVersion());
                            return true;
                          }),
              IsOk());
  EXPECT_EQ(query, "true true 8 metadata.name=a ");
  EXPECT_THAT(versions, ElementsAre("9"));
}

TEST(HttpKubeClientTest, AnInterruptionEndsASilentWatch) {
  EventFd interrupted;
  EventFd over;
  ApiServer server;  // uses them until it is gone
  server.http().Get(
      ".*", [&](const httplib::Request&, httplib::Response& response) {
        response.set_chunked_content_provider(
            "application/json", [&](size_t, httplib::DataSink& sink) {
              sink.write("\n", 1);
              interrupted.Happen();  // the client is connected by now
              pollfd wait = {over.fd(), POLLIN, 0};
              poll(&wait, 1, -1);
              return false;
            });
      });
  server.Start();
  HttpKubeClientOptions options;
  options.cancel_fd = interrupted.fd();
  EXPECT_THAT(
      ClientOf(server.Config(), options)
          ->Watch(kWorkflows, "ml", {}, [](const WatchEvent&) { return true; }),
      StatusIs(absl::StatusCode::kCancelled));
  over.Happen();
}

TEST(HttpKubeClientTest, WhetherACallWasSentIsKnown) {
  ApiServer server;
  AlwaysAnswer(server, 503, "");
  server.Start();
  const auto client = ClientOf(server.Config());
  EXPECT_FALSE(IsNotDone(client->Get(kWorkflows, "ml", "a").status()));
  server.Stop();
  EXPECT_TRUE(IsNotDone(client->Get(kWorkflows, "ml", "a").status()));
}

TEST(HttpKubeClientTest, AnAnswerThatBreaksOffIsNotTakenForWhole) {
  ApiServer server;
  server.http().Get(".*", [](const httplib::Request&,
                             httplib::Response& response) {
    response.set_content_provider(100, "application/json",
                                  [](size_t, size_t, httplib::DataSink& sink) {
                                    sink.write("{}", 2);
                                    return false;
                                  });
  });
  server.Start();
  EXPECT_THAT(ClientOf(server.Config())->Get(kWorkflows, "ml", "a"),
              StatusIs(absl::StatusCode::kUnavailable));
}

struct ErrorCase {
  std::string name;
  int http;
  std::string body;
  absl::StatusCode code;
  std::string message;
};
class KubeErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(KubeErrorTest, SaysItInOneSentence) {
  const CallContext call{"create", "workflows", "argoproj.io", "ml",
                         "",       "https://k", "context 'c'"};
  const absl::Status status =
      StatusOfAnswer(GetParam().http, GetParam().body, "", call);
  EXPECT_THAT(status, StatusIs(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_EQ(status.message().find('\n'), absl::string_view::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, KubeErrorTest,
    ::testing::ValuesIn(std::vector<ErrorCase>{
        {"ForbiddenVerb", 403,
         R"({"kind":"Status","reason":"Forbidden","message":"workflows.argoproj.io is forbidden: User \"system:serviceaccount:ml:reader\" cannot create resource \"workflows\" in API group \"argoproj.io\" in the namespace \"ml\""})",
         absl::StatusCode::kPermissionDenied,
         "'system:serviceaccount:ml:reader' may not create "
         "workflows.argoproj.io in namespace 'ml'"},
        {"Quota", 403, StatusBody(403, "Forbidden", "exceeded quota: ten"),
         absl::StatusCode::kPermissionDenied, "exceeded quota: ten"},
        {"NoNamespace", 404,
         StatusBody(404, "NotFound", "x",
                    R"({"name":"ml","kind":"namespaces"})"),
         absl::StatusCode::kNotFound, "no namespace 'ml'"},
        {"NoObject", 404,
         StatusBody(404, "NotFound", "x", R"({"name":"a","kind":"workflows"})"),
         absl::StatusCode::kNotFound,
         "there is no workflow 'a' in namespace 'ml'"},
        {"NoArgo", 404, "404 page not found\n",
         absl::StatusCode::kFailedPrecondition,
         "Argo Workflows is not installed"},
        {"Exists", 409,
         StatusBody(409, "AlreadyExists", "x",
                    R"({"name":"a","kind":"workflows"})"),
         absl::StatusCode::kAlreadyExists, "there is already a workflow 'a'"},
        {"Conflict", 409, StatusBody(409, "Conflict", "modified"),
         absl::StatusCode::kAborted, "modified"},
        {"Invalid", 422,
         StatusBody(
             422, "Invalid", "x",
             R"({"causes":[{"field":"spec.a","message":"is bad"},{"field":"spec.b","message":"too"}]})"),
         absl::StatusCode::kInvalidArgument, "spec.a: is bad; spec.b: too"},
        {"Overloaded", 429, "slow down", absl::StatusCode::kUnavailable,
         "overloaded (429): slow down"},
        {"Proxy", 502, "<html>\n<h1>Bad gateway</h1>",
         absl::StatusCode::kUnavailable, "(502): <html> <h1>Bad gateway"},
        {"NotAnApi", 302, "", absl::StatusCode::kFailedPrecondition,
         "answered HTTP 302"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle::argo
