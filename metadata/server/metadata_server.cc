#include "metadata/server/metadata_server.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_server.h"
#include "metadata/server/http_server.h"

namespace rekindle {
namespace {

class BothServers : public MetadataServer {
 public:
  explicit BothServers(absl::Duration max_call_time) : calls_(max_call_time) {}

  absl::Status Start(Store& store, const ServerOptions& options) {
    RK_ASSIGN_OR_RETURN(grpc_, GrpcServer::Start(store, calls_, options));
    if (options.http_port.has_value()) {
      RK_ASSIGN_OR_RETURN(http_, StartHttpServer(store, calls_, options));
    }
    return absl::OkStatus();
  }

  int grpc_port() const override { return grpc_->port(); }
  int http_port() const override {
    return http_ == nullptr ? 0 : http_->port();
  }

  void Shutdown(absl::Duration grace) override {
    if (http_ != nullptr) http_->Drain();
    grpc_->Shutdown(grace);
    if (http_ != nullptr) http_->Stop();
  }

 private:
  CallRunner calls_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options) {
  auto server = std::make_unique<BothServers>(options.max_call_time);
  RK_RETURN_IF_ERROR(server->Start(store, options));
  return server;
}

}  // namespace rekindle
