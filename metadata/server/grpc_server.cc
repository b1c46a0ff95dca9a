#include "metadata/server/grpc_server.h"

#include <memory>

#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/api/tls.h"
#include "metadata/server/grpc_service.h"
#include "metadata/server/listening.h"
#include "metadata/server/maintenance_service.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/maintenance_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    Store& store, CallRunner& calls, const ServerOptions& options) {
  auto server = absl::WrapUnique(new GrpcServer(store, calls));
  RK_RETURN_IF_ERROR(server->Listen(options));
  return server;
}

GrpcServer::GrpcServer(Store& store, CallRunner& calls)
    : metadata_(MakeMetadataService(store.metadata(), calls)),
      steps_(MakeStepService(store.steps(), calls)),
      maintenance_(MakeMaintenanceService(store.maintenance())) {}

GrpcServer::~GrpcServer() { Shutdown(absl::ZeroDuration()); }

absl::Status GrpcServer::Listen(const ServerOptions& options) {
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::InsecureServerCredentials();
  if (!options.tls.empty()) {
    RK_ASSIGN_OR_RETURN(credentials, MakeTlsServerCredentials(options.tls));
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(HostAndPort(options.host, options.grpc_port),
                           credentials, &port_);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  builder.SetMaxSendMessageSize(options.max_message_bytes);
  // Every call under way has a thread.
  builder.SetResourceQuota(
      grpc::ResourceQuota("calls").SetMaxThreads(options.max_calls));
  // Two servers on one port would share its calls between two databases.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(metadata_.get());
  builder.RegisterService(steps_.get());
  builder.RegisterService(maintenance_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    return WhyNotListening(options.host, options.grpc_port);
  }
  // The server as a whole is healthy from its start; a service by its name only
  // when that is said.
  for (const char* service :
       {ml_metadata::MetadataStoreService::service_full_name(),
        v1::StepService::service_full_name(),
        v1::MaintenanceService::service_full_name()}) {
    server_->GetHealthCheckService()->SetServingStatus(service, true);
  }
  return absl::OkStatus();
}

void GrpcServer::Shutdown(absl::Duration grace) {
  if (server_ == nullptr) return;
  server_->GetHealthCheckService()->Shutdown();
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
}

}  // namespace rekindle
