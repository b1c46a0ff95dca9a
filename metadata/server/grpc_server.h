// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_GRPC_SERVER_H_
#define REKINDLE_METADATA_SERVER_GRPC_SERVER_H_

#include <memory>

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_builder.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"
#include "metadata/server/acceptor.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/health_service.h"
#include "metadata/server/limits/admission.h"
#include "metadata/server/limits/connection_table.h"
#include "metadata/server/metadata_server.h"
#include "metadata/server/readiness.h"
#include "metadata/server/self_check.h"

namespace rekindle {

// The store's three services and the standard health service. Connections are
// taken by an Acceptor of ours, within a budget, and handed to gRPC: gRPC's own
// listener is deaf for ever once the process ran out of descriptors.
// Thread-safe.
class GrpcServer {
 public:
  // Serves from now on. `store`, `calls` and `gate` are not owned and must
  // outlive the server.
  //
  //   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as StartMetadataServer
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      Store& store, CallRunner& calls, CallGate& gate,
      const ServerOptions& options);

  ~GrpcServer();

  int port() const { return acceptor_->port(); }

  // Whether a client that came now would be served: asks through the port.
  // Takes a few seconds at most. gRPC's health service says the same.
  absl::Status Ready() { return readiness_->Now(); }

  // From now on it is not ready.
  void Drain();
  // Takes no more calls and waits for those under way; after `grace` their
  // clients wait no longer.
  void Shutdown(absl::Duration grace);

 private:
  GrpcServer(Store& store, CallRunner& calls, CallGate& gate,
             const ServerOptions& options);
  absl::Status Listen(const ServerOptions& options);
  void Configure(const ServerOptions& options, grpc::ServerBuilder& builder);
  void PublishMetrics(CallMetrics& metrics);
  void Take(Acceptor::Connection connection);

  // The services must outlive the server that calls them.
  Admission admission_;
  const std::unique_ptr<grpc::Service> metadata_;
  const std::unique_ptr<grpc::Service> steps_;
  const std::unique_ptr<grpc::Service> maintenance_;
  SelfCheck self_check_;
  HealthService health_;
  ConnectionTable connections_;
  // For clients, and for the server's own questions.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> entrance_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> own_entrance_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<Readiness> readiness_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_GRPC_SERVER_H_
