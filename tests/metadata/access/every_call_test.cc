// Every call of the server with every role, over both transports, held against
// the access table.
#include <httplib.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/server/access/access_list.h"
#include "metadata/server/access/access_table.h"
#include "metadata/server/access/role.h"
#include "metadata/server/metadata_server.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/maintenance_service.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::google::protobuf::MethodDescriptor;
using ::google::protobuf::ServiceDescriptor;

// Nobody, each role, and one who has made a token up.
const std::vector<std::string>& Callers() {
  static const auto& callers = *new std::vector<std::string>{
      "", "guess", "reader", "step", "writer", "admin"};
  return callers;
}

std::optional<Role> RoleOf(const std::string& caller) {
  const auto role = ParseRole(caller);
  return role.ok() ? std::optional<Role>(*role) : std::nullopt;
}

std::vector<const ServiceDescriptor*> Services() {
  return {ml_metadata::PutArtifactsRequest::descriptor()->file()->service(0),
          v1::ClaimRequest::descriptor()->file()->service(0),
          v1::BackupRequest::descriptor()->file()->service(0)};
}

std::vector<const MethodDescriptor*> Methods() {
  std::vector<const MethodDescriptor*> methods;
  for (const ServiceDescriptor* service : Services()) {
    for (int i = 0; i < service->method_count(); ++i) {
      methods.push_back(service->method(i));
    }
  }
  return methods;
}

std::string PathOf(const MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

// What a call that `needs` a role answers to `caller`, in one word.
std::string Expected(std::optional<Role> needs, const std::string& caller) {
  const std::optional<Role> role = RoleOf(caller);
  if (!needs.has_value()) return "allowed";
  if (!role.has_value()) return "who are you";
  return *role >= *needs ? "allowed" : "you may not";
}

TEST(AccessTableTest, HasEveryCallOfEveryServiceOnce) {
  std::set<std::string> named;
  for (const CallRight& right : AccessTable()) {
    EXPECT_TRUE(named.emplace(right.call).second) << right.call;
  }
  for (const MethodDescriptor* method : Methods()) {
    EXPECT_EQ(named.erase(method->name()), 1) << PathOf(*method);
  }
  EXPECT_EQ(Methods().size(), 52 + 9 + 3);
  EXPECT_EQ(named,
            (std::set<std::string>{
                "grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch",
                "GET /healthz", "GET /readyz", "GET /metrics",
                "GET /api/v1/openapi.json"}));
}

TEST(AccessTableTest, NobodyBelowAdminCopiesFillsOrDeletes) {
  for (const char* call : {"Backup", "Export", "Load", "Delete", "Verify"}) {
    EXPECT_EQ(FindCallRight(call)->needs, Role::kAdmin) << call;
  }
  for (const MethodDescriptor* method : Methods()) {
    const CallRight& right = *FindCallRight(method->name());
    EXPECT_EQ(absl::StartsWith(method->name(), "Get"),
              right.needs == Role::kReader)
        << right.call;
    EXPECT_EQ(absl::StartsWith(method->name(), "Put"),
              right.needs == Role::kWriter)
        << right.call;
  }
}

class EveryCallTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string tokens;
    for (const std::string& caller : Callers()) {
      if (!RoleOf(caller).has_value()) continue;
      absl::StrAppend(&tokens, caller, " ", caller, " ",
                      TokenHashText("rk_" + caller), "\n");
    }
    RK_ASSERT_OK_AND_ASSIGN(store_, OpenSqliteStore(":memory:", SystemClock()));
    ServerOptions options = {.grpc_port = 0, .http_port = 0};
    options.token_file = dir_.Write("tokens", tokens);
    RK_ASSERT_OK_AND_ASSIGN(server_, StartMetadataServer(*store_, options));
    channel_ =
        grpc::CreateChannel(absl::StrCat("127.0.0.1:", server_->grpc_port()),
                            grpc::InsecureChannelCredentials());
  }

  // Sends an empty request, and reads what comes, one answer at most.
  grpc::Status CallGrpc(const std::string& path, const std::string& caller) {
    grpc::ClientContext context;
    if (!caller.empty()) {
      context.AddMetadata("authorization", "Bearer rk_" + caller);
    }
    grpc::GenericStub stub(channel_);
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, path, &queue);
    call->StartCall(this);
    bool ok = Next(queue);
    const grpc::Slice nothing;
    call->WriteLast(grpc::ByteBuffer(&nothing, 1), {}, this);
    Next(queue);
    grpc::ByteBuffer answer;
    call->Read(&answer, this);
    answered_ = Next(queue) && ok;
    if (answered_) context.TryCancel();
    grpc::Status status;
    call->Finish(&status, this);
    Next(queue);
    return status;
  }

  static bool Next(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return ok;
  }

  std::string SaidByGrpc(const std::string& path, const std::string& caller) {
    const grpc::Status status = CallGrpc(path, caller);
    switch (status.error_code()) {
      case grpc::StatusCode::UNAUTHENTICATED:
        return "who are you";
      case grpc::StatusCode::PERMISSION_DENIED:
        return "you may not";
      case grpc::StatusCode::UNIMPLEMENTED:
        return "there is no such call";
      default:
        return "allowed";
    }
  }

  std::string SaidByHttp(const std::string& verb, const std::string& path,
                         const std::string& caller) {
    httplib::Client client("127.0.0.1", server_->http_port());
    httplib::Headers headers;
    if (!caller.empty()) {
      headers.emplace("Authorization", "Bearer rk_" + caller);
    }
    const auto answer =
        verb == "GET" ? client.Get(path, headers)
                      : client.Post(path, headers, "{}", "application/json");
    if (!answer) return "no answer";
    EXPECT_EQ(answer->has_header("WWW-Authenticate"), answer->status == 401);
    if (answer->status == 401) return "who are you";
    return answer->status == 403 ? "you may not" : "allowed";
  }

  TempDir dir_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<MetadataServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  bool answered_ = false;
};

TEST_F(EveryCallTest, OverGrpcIsForThoseWhoMay) {
  for (const MethodDescriptor* method : Methods()) {
    const CallRight& right = *FindCallRight(method->name());
    for (const std::string& caller : Callers()) {
      EXPECT_EQ(SaidByGrpc(PathOf(*method), caller),
                Expected(right.needs, caller))
          << PathOf(*method) << " by '" << caller << "'";
    }
  }
}

TEST_F(EveryCallTest, OverHttpIsForThoseWhoMay) {
  for (const MethodDescriptor* method : Methods()) {
    if (method->service() == Services().back()) continue;  // gRPC's alone
    const CallRight& right = *FindCallRight(method->name());
    for (const std::string& caller : Callers()) {
      EXPECT_EQ(SaidByHttp("POST", "/api/v1/" + method->name(), caller),
                Expected(right.needs, caller))
          << method->name() << " by '" << caller << "'";
    }
  }
}

TEST_F(EveryCallTest, HealthIsForEverybody) {
  for (const std::string& caller : Callers()) {
    for (const char* path :
         {"/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"}) {
      EXPECT_EQ(SaidByGrpc(path, caller), "allowed") << path;
      EXPECT_TRUE(answered_) << path;
    }
  }
}

TEST_F(EveryCallTest, OtherHttpPathsAreForThoseWhoMay) {
  for (const CallRight& right : AccessTable()) {
    absl::string_view path = right.call;
    if (!absl::ConsumePrefix(&path, "GET ")) continue;
    for (const std::string& caller : Callers()) {
      EXPECT_EQ(SaidByHttp("GET", std::string(path), caller),
                Expected(right.needs, caller))
          << right.call << " by '" << caller << "'";
    }
  }
}

TEST_F(EveryCallTest, ThereIsNoReflection) {
  EXPECT_EQ(SaidByGrpc("/grpc.reflection.v1alpha.ServerReflection/"
                       "ServerReflectionInfo",
                       "admin"),
            "there is no such call");
}

class ExposureTest : public ::testing::Test {
 protected:
  // A server on a free port of `host` with `set` options.
  template <typename Set>
  absl::Status Start(const std::string& host, Set set) {
    RK_ASSIGN_OR_RETURN(const auto store,
                        OpenSqliteStore(":memory:", SystemClock()));
    ServerOptions options = {.host = host, .grpc_port = 0};
    set(options);
    return StartMetadataServer(*store, options).status();
  }
  absl::Status Start(const std::string& host) {
    return Start(host, [](ServerOptions&) {});
  }
};

TEST_F(ExposureTest, OthersThanThisMachineAreServedOnlyIfSomethingGuardsIt) {
  const TempDir dir;
  for (const char* host : {"0.0.0.0", "::"}) {
    EXPECT_THAT(Start(host), StatusIs(absl::StatusCode::kInvalidArgument,
                                      ::testing::HasSubstr("--insecure")));
    EXPECT_THAT(Start(host, [](ServerOptions& o) { o.insecure = true; }),
                IsOk());
    EXPECT_THAT(Start(host,
                      [&](ServerOptions& o) {
                        o.token_file = dir.Write("tokens", "cert:a admin");
                      }),
                IsOk());
  }
}

TEST_F(ExposureTest, ThisMachineIsServedWithoutMore) {
  for (const char* host : {"127.0.0.1", "127.0.0.2", "localhost", "::1"}) {
    EXPECT_THAT(Start(host), IsOk()) << host;
  }
}

}  // namespace
}  // namespace rekindle
