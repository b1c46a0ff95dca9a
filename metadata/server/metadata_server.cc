#include "metadata/server/metadata_server.h"

#include <memory>
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/server/grpc_service.h"
#include "metadata/server/listening.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {
namespace {

class GrpcServer : public MetadataServer {
 public:
  GrpcServer(Store& store, std::string host)
      : host_(std::move(host)),
        metadata_(MakeMetadataService(store.metadata())),
        steps_(MakeStepService(store.steps())) {}

  absl::Status Start(const ServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.AddListeningPort(HostAndPort(options.host, options.grpc_port),
                             grpc::InsecureServerCredentials(), &port_);
    builder.SetMaxReceiveMessageSize(options.max_message_bytes);
    builder.SetMaxSendMessageSize(options.max_message_bytes);
    // Every call under way has a thread.
    builder.SetResourceQuota(
        grpc::ResourceQuota("calls").SetMaxThreads(options.max_calls));
    // Two servers on one port would share its calls between two databases.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.RegisterService(metadata_.get());
    builder.RegisterService(steps_.get());
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      return WhyNotListening(options.host, options.grpc_port);
    }
    AnnounceHealth();
    return absl::OkStatus();
  }

  ~GrpcServer() override { Shutdown(absl::ZeroDuration()); }

  int grpc_port() const override { return port_; }
  std::string grpc_address() const override {
    return HostAndPort(host_, port_);
  }

  void Shutdown(absl::Duration grace) override {
    if (server_ == nullptr) return;
    server_->GetHealthCheckService()->Shutdown();
    server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  }

 private:
  // The server as a whole is healthy from its start; each service by its name
  // only when that is said.
  void AnnounceHealth() {
    for (const char* service :
         {ml_metadata::MetadataStoreService::service_full_name(),
          v1::StepService::service_full_name()}) {
      server_->GetHealthCheckService()->SetServingStatus(service, true);
    }
  }

  const std::string host_;
  // The services must outlive the server that calls them.
  std::unique_ptr<grpc::Service> metadata_;
  std::unique_ptr<grpc::Service> steps_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options) {
  auto server = std::make_unique<GrpcServer>(store, options.host);
  RK_RETURN_IF_ERROR(server->Start(options));
  return server;
}

}  // namespace rekindle
