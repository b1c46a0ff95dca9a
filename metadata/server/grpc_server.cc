#include "metadata/server/grpc_server.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/api/tls.h"
#include "metadata/server/acceptor.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/grpc_call.h"
#include "metadata/server/grpc_service.h"
#include "metadata/server/limits/connection_limits.h"
#include "metadata/server/maintenance_service.h"
#include "metadata/server/readiness.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/maintenance_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {

namespace {

// How long a client may take from its connection to its first frame.
constexpr absl::Duration kHandshake = absl::Seconds(10);
// A connection without calls is closed after this time; clients make another.
constexpr absl::Duration kIdle = absl::Minutes(5);
// A client that is silent is asked whether it is there, and must answer.
constexpr absl::Duration kAskAfter = absl::Minutes(1);
constexpr absl::Duration kAnswerWithin = absl::Seconds(20);
// How often a client may ask whether the server is there.
constexpr absl::Duration kAskedEvery = absl::Seconds(20);
// Calls at once over one connection; its client keeps more waiting.
constexpr int kCallsPerConnection = 100;
constexpr int kMaxHeaderBytes = 16 << 10;
constexpr int kSpareThreads = 256;
// Streams that watch the health service.
constexpr int kHealthWatches = 256;
// Bytes of requests that gRPC holds before they are calls, and of answers that
// are not sent.
constexpr size_t kMessagesOnTheWay = size_t{128} << 20;

int Millis(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Milliseconds(duration));
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    Store& store, CallRunner& calls, CallGate& gate,
    const ServerOptions& options) {
  auto server = absl::WrapUnique(new GrpcServer(store, calls, gate, options));
  RK_RETURN_IF_ERROR(server->Listen(options));
  server->PublishMetrics(calls.metrics());
  return server;
}

GrpcServer::GrpcServer(Store& store, CallRunner& calls, CallGate& gate,
                       const ServerOptions& options)
    : admission_(options, SystemClock(),
                 [this](const std::string& peer) {
                   const auto [client, port] = AddressAndPortOf(peer);
                   connections_.Cut(client, port);
                 }),
      metadata_(MakeMetadataService(store, admission_, calls, gate)),
      steps_(MakeStepService(store, admission_, calls, gate)),
      maintenance_(
          MakeMaintenanceService(store.maintenance(), admission_, calls, gate)),
      self_check_(store),
      health_({ml_metadata::MetadataStoreService::service_full_name(),
               v1::StepService::service_full_name(),
               v1::MaintenanceService::service_full_name()},
              {.all = kHealthWatches, .each = kHealthWatches}),
      connections_(ConnectionLimits(MaxOpenFiles(), options.max_connections,
                                    options.max_connections_per_client),
                   SystemClock()) {}

GrpcServer::~GrpcServer() { Shutdown(absl::ZeroDuration()); }

absl::Status GrpcServer::Listen(const ServerOptions& options) {
  std::shared_ptr<grpc::ServerCredentials> credentials =
      grpc::InsecureServerCredentials();
  if (!options.tls.empty()) {
    RK_ASSIGN_OR_RETURN(credentials, MakeTlsServerCredentials(options.tls));
  }
  RK_ASSIGN_OR_RETURN(acceptor_,
                      Acceptor::Listen(options.host, options.grpc_port));
  grpc::ServerBuilder builder;
  using Experimental = grpc::ServerBuilder::experimental_type;
  constexpr auto kFromFd = Experimental::ExternalConnectionType::FROM_FD;
  entrance_ = builder.experimental().AddExternalConnectionAcceptor(kFromFd,
                                                                   credentials);
  own_entrance_ = builder.experimental().AddExternalConnectionAcceptor(
      kFromFd, grpc::InsecureServerCredentials());
  Configure(options, builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return absl::InternalError("gRPC does not start a server");
  }
  acceptor_->Start(
      [this](Acceptor::Connection connection) { Take(std::move(connection)); });
  readiness_ = std::make_unique<Readiness>(
      [this](absl::Time deadline) {
        return self_check_.Ask(acceptor_->address(), port(), deadline);
      },
      [this](bool ready) { health_.SetServing(ready); }, SystemClock());
  readiness_->Start();
  return absl::OkStatus();
}

void GrpcServer::Take(Acceptor::Connection connection) {
  const bool own = self_check_.IsOwn(connection.client, connection.port);
  if (!own && !connections_.Add(connection.fd.get(), connection.client,
                                connection.port)) {
    return;
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
      handed;
  handed.fd = connection.fd.release();
  (own ? own_entrance_ : entrance_)->HandleNewConnection(&handed);
}

void GrpcServer::Configure(const ServerOptions& options,
                           grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  builder.SetMaxSendMessageSize(options.max_message_bytes);
  // Every call under way has a thread, and so has one that is being refused.
  builder.SetResourceQuota(
      grpc::ResourceQuota("calls")
          .SetMaxThreads(admission_.places() + kSpareThreads)
          .Resize(kMessagesOnTheWay));
  // A small message can be compressed that is endless when it is not.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  for (const auto& [argument, value] :
       std::initializer_list<std::pair<const char*, int>>{
           {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, Millis(kHandshake)},
           {GRPC_ARG_MAX_CONNECTION_IDLE_MS, Millis(kIdle)},
           {GRPC_ARG_KEEPALIVE_TIME_MS, Millis(kAskAfter)},
           {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Millis(kAnswerWithin)},
           {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
           {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
            Millis(kAskedEvery)},
           {GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsPerConnection},
           {GRPC_ARG_HTTP2_BDP_PROBE, 0},
           {GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes}}) {
    builder.AddChannelArgument(argument, value);
  }
  builder.RegisterService(metadata_.get());
  builder.RegisterService(steps_.get());
  builder.RegisterService(maintenance_.get());
  builder.RegisterService(&self_check_.service());
  builder.RegisterService(&health_);
}

void GrpcServer::PublishMetrics(CallMetrics& metrics) {
  metrics.Publish("rekindle_grpc_connections", "gauge",
                  "gRPC connections that are open.",
                  [this] { return connections_.open(); });
  metrics.Publish("rekindle_grpc_connections_refused_total", "counter",
                  "gRPC connections that were closed at once because their "
                  "client, or all together, had too many.",
                  [this] { return connections_.refused(); });
  metrics.Publish("rekindle_grpc_calls_stalled_total", "counter",
                  "gRPC calls that were ended because their client neither "
                  "took nor sent anything.",
                  [this] { return admission_.guard().stalled(); });
  metrics.Publish("rekindle_spool_bytes", "gauge",
                  "What copies and loads have put aside on the disk.",
                  [this] { return admission_.spool().taken(); });
}

void GrpcServer::Drain() {
  if (readiness_ != nullptr) readiness_->Drain();
}

void GrpcServer::Shutdown(absl::Duration grace) {
  Drain();
  if (acceptor_ != nullptr) acceptor_->Stop();
  if (server_ == nullptr) return;
  health_.Shutdown();
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
}

}  // namespace rekindle
