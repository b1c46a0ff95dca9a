#include "metadata/server/metadata_server.h"

#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/api/open_store.h"
#include "metadata/server/access/audit_log.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/access/token_file.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_server.h"
#include "metadata/server/http_server.h"
#include "metadata/server/listening.h"

namespace rekindle {
namespace {

// Someone must be kept out, or the one who starts the server says that nobody
// is.
absl::Status CheckExposure(const ServerOptions& options) {
  if (options.insecure || !options.token_file.empty() ||
      !options.tls.ca.empty() || IsOnlyThisMachine(options.host)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "on '", options.host,
      "' everybody who reaches the port could write and delete: give a "
      "--token-file or a --tls-client-ca, or say --insecure where the network "
      "keeps others out"));
}

void SayOnStderr(absl::string_view sentence) {
  std::cerr << absl::StrCat("rekindle: ", sentence, "\n") << std::flush;
}

absl::StatusOr<std::unique_ptr<CallGate>> OpenCallGate(
    const ServerOptions& options) {
  RK_RETURN_IF_ERROR(CheckExposure(options));
  const Clock& clock = SystemClock();
  std::unique_ptr<TokenFile> tokens;
  if (!options.token_file.empty()) {
    RK_ASSIGN_OR_RETURN(
        tokens, TokenFile::Open(options.token_file, clock, SayOnStderr));
  }
  std::unique_ptr<AuditLog> audit;
  if (!options.audit_log.empty()) {
    RK_ASSIGN_OR_RETURN(audit, AuditLog::Open(options.audit_log, SayOnStderr));
  }
  auto authorizer = std::make_unique<Authorizer>(
      std::move(tokens), !options.tls.ca.empty(), clock);
  return std::make_unique<CallGate>(std::move(authorizer), std::move(audit),
                                    clock);
}

class BothServers : public MetadataServer {
 public:
  explicit BothServers(const ServerOptions& options)
      : calls_(options.max_call_time, options.max_stream_time) {}

  absl::Status Start(Store& store, const ServerOptions& options) {
    RK_ASSIGN_OR_RETURN(gate_, OpenCallGate(options));
    gate_->PublishMetrics(calls_.metrics());
    RK_ASSIGN_OR_RETURN(grpc_,
                        GrpcServer::Start(store, calls_, *gate_, options));
    if (options.http_port.has_value()) {
      RK_ASSIGN_OR_RETURN(
          http_, StartHttpServer(
                     store, calls_, *gate_, [this] { return grpc_->Ready(); },
                     options));
    }
    return absl::OkStatus();
  }

  int grpc_port() const override { return grpc_->port(); }
  int http_port() const override {
    return http_ == nullptr ? 0 : http_->port();
  }

  void Shutdown(absl::Duration grace) override {
    const absl::Time deadline = absl::Now() + grace;
    if (http_ != nullptr) http_->Drain();
    grpc_->Shutdown(grace);
    if (http_ != nullptr) http_->Stop(deadline);
  }

 private:
  CallRunner calls_;
  std::unique_ptr<CallGate> gate_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options) {
  auto server = std::make_unique<BothServers>(options);
  RK_RETURN_IF_ERROR(server->Start(store, options));
  return server;
}

}  // namespace rekindle
