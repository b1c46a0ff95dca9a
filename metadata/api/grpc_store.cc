#include "metadata/api/grpc_store.h"

#include <memory>
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "metadata/api/rpc_list.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {
namespace {

using ::ml_metadata::MetadataStoreService;
using ::rekindle::v1::StepService;

// The server that a store talks to.
struct Peer {
  std::string address;
  absl::Duration timeout;
};

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
    return absl::FailedPreconditionError(absl::StrCat(
        "the metadata server at ", peer_.address,
        " cannot run steps: it is not Rekindle's; start `rekindle serve`"));
  }

  std::unique_ptr<StepService::Stub> stub_;
  const Peer peer_;
};

class GrpcStore : public Store {
 public:
  GrpcStore(const std::shared_ptr<grpc::Channel>& channel, const Peer& peer)
      : metadata_(channel, peer), steps_(channel, peer) {}

  MetadataStore& metadata() override { return metadata_; }
  StepStore& steps() override { return steps_; }

 private:
  GrpcMetadataStore metadata_;
  GrpcStepStore steps_;
};

}  // namespace

std::unique_ptr<Store> ConnectGrpcStore(const std::string& address,
                                        const GrpcOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  const std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
      address, grpc::InsecureChannelCredentials(), arguments);
  return std::make_unique<GrpcStore>(channel, Peer{address, options.timeout});
}

}  // namespace rekindle
