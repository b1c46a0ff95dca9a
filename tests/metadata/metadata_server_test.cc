#include "metadata/server/metadata_server.h"

#include <string>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "metadata/api/grpc_store.h"
#include "metadata/server/grpc_service.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::HasSubstr;

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
  CallRunner calls;
  const auto service = MakeMetadataService(store_->metadata(), calls);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(service.get());
  const auto server = builder.BuildAndStart();
  const auto client = Connect(port);
  EXPECT_THAT(client->metadata().GetArtifacts({}), IsOk());
  EXPECT_THAT(
      client->steps().Claim({}),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("rekindle serve")));
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

}  // namespace
}  // namespace rekindle
