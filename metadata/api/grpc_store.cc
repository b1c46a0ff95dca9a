#include "metadata/api/grpc_store.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "metadata/api/call_token.h"
#include "metadata/api/maintenance_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/api/tls.h"
#include "metadata/api/tls_files.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/maintenance_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {
namespace {

using ::ml_metadata::MetadataStoreService;
using ::rekindle::v1::MaintenanceService;
using ::rekindle::v1::StepService;

// The server that a store talks to.
struct Peer {
  std::string address;
  absl::Duration timeout;
  std::shared_ptr<CallToken> token;  // null if none is sent
};

// Says in `context` who calls.
void Sign(const Peer& peer, grpc::ClientContext& context) {
  if (peer.token == nullptr) return;
  context.AddMetadata("authorization",
                      absl::StrCat("Bearer ", peer.token->Current()));
}

// What the server answered stays as it is; that it did not answer names it.
// gRPC's codes are absl's.
absl::Status FromGrpc(const grpc::Status& status, const Peer& peer) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return {code,
              absl::StrCat("the metadata server at ", peer.address,
                           " cannot be reached: ", status.error_message())};
    case absl::StatusCode::kDeadlineExceeded:
      return {code, absl::StrCat("the metadata server at ", peer.address,
                                 " did not answer within ",
                                 absl::FormatDuration(peer.timeout), ": ",
                                 status.error_message())};
    case absl::StatusCode::kCancelled:
      // Not by us, who never do: a server that stops drops the calls under way.
      return absl::UnavailableError(
          absl::StrCat("the metadata server at ", peer.address,
                       " dropped the call; it was stopped"));
    default:
      return {code, status.error_message()};
  }
}

// One call of a stub, with a deadline.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> CallStub(
    Stub& stub,
    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                 Response*),
    const Request& request, const Peer& peer) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + peer.timeout));
  Sign(peer, context);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status, peer);
  return response;
}

class GrpcMetadataStore : public MetadataStore {
 public:
  GrpcMetadataStore(const std::shared_ptr<grpc::Channel>& channel, Peer peer)
      : stub_(MetadataStoreService::NewStub(channel)), peer_(std::move(peer)) {}

#define RK_FORWARD(Rpc)                                                        \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(                              \
      const ml_metadata::Rpc##Request& request) override {                     \
    return CallStub(*stub_, &MetadataStoreService::Stub::Rpc, request, peer_); \
  }
  RK_FOR_EACH_WRITE_RPC(RK_FORWARD)
#undef RK_FORWARD

#define RK_FORWARD(Rpc)                                                        \
  absl::StatusOr<ml_metadata::Rpc##Response> Rpc(                              \
      const ml_metadata::Rpc##Request& request) const override {               \
    return CallStub(*stub_, &MetadataStoreService::Stub::Rpc, request, peer_); \
  }
  RK_FOR_EACH_READ_RPC(RK_FORWARD)
#undef RK_FORWARD

 private:
  std::unique_ptr<MetadataStoreService::Stub> stub_;
  const Peer peer_;
};

class GrpcStepStore : public StepStore {
 public:
  GrpcStepStore(const std::shared_ptr<grpc::Channel>& channel, Peer peer)
      : stub_(StepService::NewStub(channel)), peer_(std::move(peer)) {}

#define RK_FORWARD(Rpc)                                                        \
  absl::StatusOr<v1::Rpc##Response> Rpc(const v1::Rpc##Request& request)       \
      override {                                                               \
    return Explain(CallStub(*stub_, &StepService::Stub::Rpc, request, peer_)); \
  }
  RK_FOR_EACH_STEP_RPC(RK_FORWARD)
#undef RK_FORWARD

 private:
  // A server of ML Metadata does not know the service at all.
  template <typename Response>
  absl::StatusOr<Response> Explain(absl::StatusOr<Response> response) const {
    if (!absl::IsUnimplemented(response.status())) return response;
    return absl::UnimplementedError(absl::StrCat(
        "the metadata server at ", peer_.address,
        " cannot run steps: it is not Rekindle's; start `rekindle serve`"));
  }

  std::unique_ptr<StepService::Stub> stub_;
  const Peer peer_;
};

// These calls have no deadline: a large store takes as long as it takes.
class GrpcMaintenanceStore : public MaintenanceStore {
 public:
  GrpcMaintenanceStore(const std::shared_ptr<grpc::Channel>& channel, Peer peer)
      : stub_(MaintenanceService::NewStub(channel)), peer_(std::move(peer)) {}

  absl::Status Backup(const std::string& path, Progress progress) override {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                        S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    if (fd < 0) return ErrnoStatus(errno, "write", path);
    const absl::Cleanup close_fd = [fd] { close(fd); };
    grpc::ClientContext context;
    Sign(peer_, context);
    const auto chunks = stub_->Backup(&context, {});
    int64_t done = 0;
    const auto append = [&](const v1::Chunk& chunk) -> absl::Status {
      RK_RETURN_IF_ERROR(WriteAll(fd, chunk.data(), path));
      done += static_cast<int64_t>(chunk.data().size());
      return progress(done, chunk.total_bytes());
    };
    RK_RETURN_IF_ERROR(Receive(context, *chunks, append));
    if (fsync(fd) != 0) return ErrnoStatus(errno, "flush", path);
    return absl::OkStatus();
  }

  absl::Status Export(Sink sink) override {
    grpc::ClientContext context;
    Sign(peer_, context);
    const auto chunks = stub_->Export(&context, {});
    return Receive(context, *chunks,
                   [&](const v1::Chunk& chunk) { return sink(chunk.data()); });
  }

  absl::StatusOr<int64_t> Load(const std::string& path) override {
    std::ifstream file(path, std::ios::binary);
    if (!file) return ErrnoStatus(errno, "read", path);
    grpc::ClientContext context;
    Sign(peer_, context);
    v1::LoadResponse response;
    const auto writer = stub_->Load(&context, &response);
    v1::Chunk chunk;
    std::string buffer(kChunkBytes, '\0');
    do {
      file.read(buffer.data(), kChunkBytes);
      chunk.set_data(buffer.data(), static_cast<size_t>(file.gcount()));
      // A stream that broke says why when it is finished.
    } while (writer->Write(chunk) && file);
    if (file.bad()) {
      // Half a file must not look like a whole one.
      context.TryCancel();
      writer->Finish();
      return ErrnoStatus(EIO, "read", path);
    }
    writer->WritesDone();
    RK_RETURN_IF_ERROR(Explain(writer->Finish()));
    return response.records();
  }

 private:
  static constexpr std::streamsize kChunkBytes = 1 << 20;

  // Calls `take` with every chunk; its error ends the call.
  absl::Status Receive(grpc::ClientContext& context,
                       grpc::ClientReader<v1::Chunk>& chunks,
                       absl::FunctionRef<absl::Status(const v1::Chunk&)> take) {
    v1::Chunk chunk;
    absl::Status taken;
    while (taken.ok() && chunks.Read(&chunk)) taken = take(chunk);
    if (!taken.ok()) context.TryCancel();
    const grpc::Status finished = chunks.Finish();
    return taken.ok() ? Explain(finished) : taken;
  }

  // A server of ML Metadata does not know the service at all.
  absl::Status Explain(const grpc::Status& status) const {
    if (status.ok()) return absl::OkStatus();
    absl::Status answer = FromGrpc(status, peer_);
    if (!absl::IsUnimplemented(answer)) return answer;
    return absl::FailedPreconditionError(absl::StrCat(
        "the metadata server at ", peer_.address,
        " can neither be copied nor loaded: it is not Rekindle's"));
  }

  std::unique_ptr<MaintenanceService::Stub> stub_;
  const Peer peer_;
};

class GrpcStore : public Store {
 public:
  GrpcStore(const std::shared_ptr<grpc::Channel>& channel, const Peer& peer)
      : metadata_(channel, peer),
        steps_(channel, peer),
        maintenance_(channel, peer) {}

  MetadataStore& metadata() override { return metadata_; }
  StepStore& steps() override { return steps_; }
  MaintenanceStore& maintenance() override { return maintenance_; }

 private:
  GrpcMetadataStore metadata_;
  GrpcStepStore steps_;
  GrpcMaintenanceStore maintenance_;
};

std::unique_ptr<Store> Connect(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const GrpcOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  return std::make_unique<GrpcStore>(
      grpc::CreateCustomChannel(address, credentials, arguments),
      Peer{address, options.timeout, options.token});
}

}  // namespace

std::unique_ptr<Store> ConnectGrpcStore(const std::string& address,
                                        const GrpcOptions& options) {
  return Connect(address, grpc::InsecureChannelCredentials(), options);
}

absl::StatusOr<std::unique_ptr<Store>> ConnectTlsStore(
    const std::string& address, const TlsFiles& files,
    const GrpcOptions& options) {
  RK_ASSIGN_OR_RETURN(const auto credentials,
                      options.verify_server
                          ? MakeTlsChannelCredentials(files)
                          : MakeUnverifiedTlsChannelCredentials(files));
  return Connect(address, credentials, options);
}

}  // namespace rekindle
