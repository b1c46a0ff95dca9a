// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_GRPC_SERVER_H_
#define REKINDLE_METADATA_SERVER_GRPC_SERVER_H_

#include <memory>

#include <grpcpp/grpcpp.h>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {

// The store's three services and gRPC's health service. Thread-safe.
class GrpcServer {
 public:
  // Serves from now on. `store` and `calls` are not owned and must outlive the
  // server.
  //
  //   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as StartMetadataServer
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      Store& store, CallRunner& calls, const ServerOptions& options);

  ~GrpcServer();

  int port() const { return port_; }

  // Takes no more calls and waits for those under way; after `grace` their
  // clients wait no longer.
  void Shutdown(absl::Duration grace);

 private:
  GrpcServer(Store& store, CallRunner& calls);
  absl::Status Listen(const ServerOptions& options);

  // The services must outlive the server that calls them.
  const std::unique_ptr<grpc::Service> metadata_;
  const std::unique_ptr<grpc::Service> steps_;
  const std::unique_ptr<grpc::Service> maintenance_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_GRPC_SERVER_H_
