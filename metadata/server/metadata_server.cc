#include "metadata/server/metadata_server.h"

#include <utility>

#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "metadata/server/grpc_service.h"

namespace rekindle {
namespace {

class GrpcServer : public MetadataServer {
 public:
  explicit GrpcServer(Store& store)
      : metadata_(MakeMetadataService(store.metadata())),
        steps_(MakeStepService(store.steps())) {}

  absl::Status Start(const ServerOptions& options) {
    const std::string address =
        absl::StrCat(options.host, ":", options.grpc_port);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(),
                             &port_);
    builder.SetMaxReceiveMessageSize(options.max_message_bytes);
    builder.SetMaxSendMessageSize(options.max_message_bytes);
    // Two servers on one port would share its calls between two databases.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.RegisterService(metadata_.get());
    builder.RegisterService(steps_.get());
    server_ = builder.BuildAndStart();
    if (server_ != nullptr && port_ != 0) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address,
                     "; it is taken or not allowed; choose another port"));
  }

  ~GrpcServer() override { Shutdown(absl::ZeroDuration()); }

  int grpc_port() const override { return port_; }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  }

 private:
  // The services must outlive the server that calls them.
  std::unique_ptr<grpc::Service> metadata_;
  std::unique_ptr<grpc::Service> steps_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options) {
  auto server = std::make_unique<GrpcServer>(store);
  absl::Status started = server->Start(options);
  if (!started.ok()) return started;
  return server;
}

}  // namespace rekindle
