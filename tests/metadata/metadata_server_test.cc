#include "metadata/server/metadata_server.h"

#include <condition_variable>
#include <future>
#include <httplib.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_service.h"
#include "metadata/server/limits/admission.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::HasSubstr;

// A store on which GetArtifactTypes takes until it is allowed to end.
class SlowStore : public Store, public MetadataStore {
 public:
  explicit SlowStore(Store& store) : store_(store) {}

  MetadataStore& metadata() override { return *this; }
  StepStore& steps() override { return store_.steps(); }
  MaintenanceStore& maintenance() override { return store_.maintenance(); }

  void WaitUntilCalled() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return called_; });
  }
  void LetItEnd() {
    const std::lock_guard<std::mutex> lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
  }

#define RK_FORWARD(Rpc)                                    \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(          \
      const ml_metadata::Rpc##Request& request) override { \
    return store_.metadata().Rpc(request);                 \
  }
  RK_FOR_EACH_WRITE_RPC(RK_FORWARD)
#undef RK_FORWARD
#define RK_FORWARD(Rpc)                                          \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(                \
      const ml_metadata::Rpc##Request& request) const override { \
    TakeTime(request);                                           \
    return store_.metadata().Rpc(request);                       \
  }
  RK_FOR_EACH_READ_RPC(RK_FORWARD)
#undef RK_FORWARD

 private:
  void TakeTime(const ml_metadata::GetArtifactTypesRequest&) const {
    std::unique_lock<std::mutex> lock(mutex_);
    called_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return may_end_; });
  }
  void TakeTime(const google::protobuf::Message&) const {}

  Store& store_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable std::condition_variable changed_;
  mutable bool called_ = false;
  bool may_end_ = false;
};

class MetadataServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RK_ASSERT_OK_AND_ASSIGN(store_, OpenSqliteStore(":memory:", SystemClock()));
  }
  static ServerOptions AnyPort() {
    return {.host = "127.0.0.1", .grpc_port = 0};
  }
  static std::unique_ptr<Store> Connect(int port,
                                        const GrpcOptions& options = {}) {
    return ConnectGrpcStore(absl::StrCat("127.0.0.1:", port), options);
  }

  std::unique_ptr<Store> store_;
};

TEST_F(MetadataServerTest, APortThatIsTakenIsNamed) {
  RK_ASSERT_OK_AND_ASSIGN(const auto first,
                          StartMetadataServer(*store_, AnyPort()));
  ServerOptions same = AnyPort();
  same.grpc_port = first->grpc_port();
  EXPECT_THAT(StartMetadataServer(*store_, same),
              StatusIs(StatusCode::kUnavailable,
                       HasSubstr(absl::StrCat(first->grpc_port()))));
}

TEST_F(MetadataServerTest, AServerThatIsGoneIsUnavailable) {
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store_, AnyPort()));
  const auto client = Connect(server->grpc_port());
  EXPECT_THAT(client->metadata().GetArtifacts({}), IsOk());
  server->Shutdown(absl::Seconds(1));
  EXPECT_THAT(client->metadata().GetArtifacts({}),
              StatusIs(StatusCode::kUnavailable));
}

TEST_F(MetadataServerTest, AMessageThatIsTooLargeIsRefused) {
  ServerOptions small = AnyPort();
  small.max_message_bytes = 1024;
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store_, small));
  const auto client = Connect(server->grpc_port());
  ml_metadata::GetArtifactsByURIRequest request;
  request.add_uris(std::string(4096, 'x'));
  EXPECT_THAT(client->metadata().GetArtifactsByURI(request),
              StatusIs(StatusCode::kResourceExhausted));
}

TEST_F(MetadataServerTest, AServerWithoutStepsIsRefusedForSteps) {
  CallRunner calls(absl::Minutes(1));
  CallGate gate(std::make_unique<Authorizer>(nullptr, /*certificates=*/false,
                                             SystemClock()),
                /*audit=*/nullptr, SystemClock());
  Admission admission(AnyPort(), SystemClock());
  const auto service = MakeMetadataService(*store_, admission, calls, gate);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(service.get());
  const auto server = builder.BuildAndStart();
  const auto client = Connect(port);
  EXPECT_THAT(client->metadata().GetArtifacts({}), IsOk());
  EXPECT_THAT(client->steps().Claim({}), StatusIs(StatusCode::kUnimplemented,
                                                  HasSubstr("rekindle serve")));
}

TEST_F(MetadataServerTest, OpensWhatTheUserNames) {
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store_, AnyPort()));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto remote,
      OpenStore(absl::StrCat("grpc://127.0.0.1:", server->grpc_port()),
                SystemClock()));
  EXPECT_THAT(remote->metadata().GetArtifacts({}), IsOk());
  EXPECT_THAT(OpenStore("sqlite::memory:", SystemClock()), IsOk());
  for (const char* where : {"", "sqlite:", "grpc://", "mysql://host/db"}) {
    EXPECT_THAT(OpenStore(where, SystemClock()),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("grpc://")))
        << where;
  }
}

TEST_F(MetadataServerTest, AHostThatIsNotOursIsNamed) {
  ServerOptions elsewhere = AnyPort();
  elsewhere.host = "192.0.2.1";
  elsewhere.insecure = true;
  EXPECT_THAT(StartMetadataServer(*store_, elsewhere),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("192.0.2.1")));
}

TEST_F(MetadataServerTest, AnIpv6HostGetsBrackets) {
  EXPECT_EQ(HostAndPort("::1", 80), "[::1]:80");
  EXPECT_EQ(HostAndPort("127.0.0.1", 80), "127.0.0.1:80");
}

TEST_F(MetadataServerTest, AnAnswerThatIsTooLargeIsRefused) {
  ml_metadata::PutArtifactTypeRequest type;
  type.mutable_artifact_type()->set_name(std::string(4096, 'x'));
  ASSERT_THAT(store_->metadata().PutArtifactType(type), IsOk());
  ServerOptions small = AnyPort();
  small.max_message_bytes = 1024;
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store_, small));
  EXPECT_THAT(Connect(server->grpc_port())->metadata().GetArtifactTypes({}),
              StatusIs(StatusCode::kResourceExhausted));
}

TEST_F(MetadataServerTest, ShutdownFinishesACallOverGrpcAndRefusesOthers) {
  SlowStore slow(*store_);
  ServerOptions options = AnyPort();
  options.http_port = 0;
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(slow, options));
  const auto client = Connect(server->grpc_port());
  auto call = std::async(std::launch::async, [&client] {
    return client->metadata().GetArtifactTypes({});
  });
  slow.WaitUntilCalled();
  httplib::Client http("127.0.0.1", server->http_port());
  EXPECT_EQ(http.Get("/readyz")->status, 200);
  auto shutdown = std::async(std::launch::async,
                             [&] { server->Shutdown(absl::Minutes(1)); });
  while (http.Get("/readyz")->status != 503) {
  }
  EXPECT_EQ(http.Post("/api/v1/GetArtifacts", "{}", "application/json")->status,
            503);
  EXPECT_EQ(http.Get("/healthz")->status, 200);
  slow.LetItEnd();
  EXPECT_THAT(call.get(), IsOk());
  shutdown.get();
  EXPECT_THAT(client->metadata().GetArtifacts({}),
              StatusIs(StatusCode::kUnavailable));
}

// As gRPC answers a call under way when its server is stopped.
class StoppingService : public ml_metadata::MetadataStoreService::Service {
 public:
  grpc::Status GetArtifactTypes(
      grpc::ServerContext*, const ml_metadata::GetArtifactTypesRequest*,
      ml_metadata::GetArtifactTypesResponse*) override {
    return grpc::Status::CANCELLED;
  }
};

TEST_F(MetadataServerTest, ACallThatAStoppingServerDropsMayBeRepeated) {
  StoppingService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  EXPECT_THAT(
      Connect(port)->metadata().GetArtifactTypes({}),
      StatusIs(StatusCode::kUnavailable, HasSubstr("dropped the call")));
}

TEST_F(MetadataServerTest, ShutdownFinishesACallOverHttp) {
  SlowStore slow(*store_);
  ServerOptions options = AnyPort();
  options.http_port = 0;
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(slow, options));
  auto call = std::async(std::launch::async, [&server] {
    return httplib::Client("127.0.0.1", server->http_port())
        .Post("/api/v1/GetArtifactTypes", "{}", "application/json")
        ->status;
  });
  slow.WaitUntilCalled();
  auto shutdown = std::async(std::launch::async,
                             [&] { server->Shutdown(absl::Minutes(1)); });
  // It says that it is not ready, or listens no more already.
  while (const auto ready =
             httplib::Client("127.0.0.1", server->http_port()).Get("/readyz")) {
    if (ready->status == 503) break;
  }
  slow.LetItEnd();
  EXPECT_EQ(call.get(), 200);
  shutdown.get();
}

TEST_F(MetadataServerTest, ACallThatTakesTooLongIsGivenUp) {
  ServerOptions hurried = AnyPort();
  hurried.http_port = 0;
  hurried.max_call_time = absl::Nanoseconds(1);
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(*store_, hurried));
  EXPECT_THAT(Connect(server->grpc_port())->metadata().GetArtifacts({}),
              StatusIs(StatusCode::kDeadlineExceeded, HasSubstr("1ns")));
  EXPECT_EQ(httplib::Client("127.0.0.1", server->http_port())
                .Post("/api/v1/GetArtifacts", "{}", "application/json")
                ->status,
            504);
}

TEST_F(MetadataServerTest, CallsBeyondTheLimitAreRefused) {
  constexpr int kMaxCalls = 8;
  constexpr int kCalls = 2 * kMaxCalls;
  SlowStore slow(*store_);
  ServerOptions options = AnyPort();
  options.max_calls = kMaxCalls;
  RK_ASSERT_OK_AND_ASSIGN(const auto server,
                          StartMetadataServer(slow, options));
  const auto client = Connect(server->grpc_port());
  std::vector<std::future<absl::Status>> calls;
  calls.reserve(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    calls.push_back(std::async(std::launch::async, [&] {
      absl::Status status = client->metadata().GetArtifactTypes({}).status();
      // The first that ends can only be one that was refused.
      slow.LetItEnd();
      return status;
    }));
  }
  int refused = 0;
  for (auto& call : calls) {
    const absl::Status status = call.get();
    if (status.ok()) continue;
    EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
    ++refused;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 2 * kMaxCalls);
}

}  // namespace
}  // namespace rekindle
