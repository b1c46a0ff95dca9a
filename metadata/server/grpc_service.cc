#include "metadata/server/grpc_service.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/method_handler.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_call.h"
#include "metadata/server/held_answer.h"
#include "metadata/server/limits/admission.h"
#include "metadata/server/limits/memory_budget.h"
#include "metadata/server/limits/message_cost.h"
#include "metadata/server/method_table.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using ::google::protobuf::Message;
using ::google::protobuf::ServiceDescriptor;

// What costs less is not counted: there are not many calls at once.
constexpr int64_t kSmall = int64_t{64} << 10;

// One call, from the bytes of its request to those of its answer.
class GrpcCall {
 public:
  GrpcCall(const Method& method, Admission& admission, std::string client)
      : method_(method), admission_(admission), client_(std::move(client)) {}

  // What it takes for its answer is in `answer` until gRPC has sent that.
  absl::Status Run(Store& store, grpc::ByteBuffer& bytes, HeldAnswer& answer) {
    RK_ASSIGN_OR_RETURN(auto place, admission_.Enter(method_.name(), client_));
    answer.place.emplace(std::move(place));
    RK_ASSIGN_OR_RETURN(const auto memory, MemoryFor(bytes));
    RK_ASSIGN_OR_RETURN(request_, Parse(bytes));
    RK_ASSIGN_OR_RETURN(response_, method_.call(store, *request_));
    return Write(*response_, answer);
  }

  // What it is about; null as long as nobody knows.
  const Message* request() const { return request_.get(); }
  const Message* response() const { return response_.get(); }

 private:
  using Memory = std::optional<MemoryBudget::Share>;

  absl::StatusOr<Memory> Take(int64_t bytes) {
    if (bytes <= kSmall) return std::nullopt;
    return admission_.memory().Take(client_, bytes, CurrentDeadline());
  }

  absl::StatusOr<Memory> MemoryFor(grpc::ByteBuffer& bytes) {
    grpc::ProtoBufferReader reader(&bytes);
    RK_ASSIGN_OR_RETURN(const int64_t cost,
                        CostOfMessage(*method_.request->GetDescriptor(), reader,
                                      admission_.memory().limits().each));
    return Take(cost);
  }

  absl::StatusOr<std::unique_ptr<Message>> Parse(grpc::ByteBuffer& bytes) {
    std::unique_ptr<Message> request(method_.request->New());
    grpc::ProtoBufferReader reader(&bytes);
    if (!request->ParseFromZeroCopyStream(&reader)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the bytes that were sent are no ",
                       request->GetDescriptor()->full_name()));
    }
    bytes.Clear();
    return request;
  }

  absl::Status Write(const Message& response, HeldAnswer& answer) {
    const auto size = static_cast<int64_t>(response.ByteSizeLong());
    if (size > admission_.max_message_bytes()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the answer has ", size, " bytes, more than the server's limit of ",
          admission_.max_message_bytes(), "; ask for fewer nodes at a time"));
    }
    RK_ASSIGN_OR_RETURN(Memory memory, Take(size));
    if (memory.has_value()) answer.memory.emplace(*std::move(memory));
    bool own = false;
    const grpc::Status written =
        grpc::GenericSerialize<grpc::ProtoBufferWriter, Message>(
            response, &answer.bytes, &own);
    return {static_cast<absl::StatusCode>(written.error_code()),
            written.error_message()};
  }

  const Method& method_;
  Admission& admission_;
  const std::string client_;
  std::unique_ptr<Message> request_;
  std::unique_ptr<Message> response_;
};

class ServiceOfStore final : public grpc::Service {
 public:
  ServiceOfStore(const ServiceDescriptor* service, Store& store,
                 Admission& admission, CallRunner& calls, CallGate& gate)
      : store_(store), admission_(admission), calls_(calls), gate_(gate) {
    for (const Method& method : AllMethods()) {
      if (method.descriptor->service() == service) Add(method);
    }
  }

 private:
  void Add(const Method& method) {
    using Handler = grpc::internal::RpcMethodHandler<ServiceOfStore, RawRequest,
                                                     HeldAnswer>;
    // gRPC keeps the pointer to the name.
    paths_.push_back(absl::StrCat(
        "/", method.descriptor->service()->full_name(), "/", method.name()));
    AddMethod(new grpc::internal::RpcServiceMethod(
        paths_.back().c_str(), grpc::internal::RpcMethod::NORMAL_RPC,
        new Handler(
            [&method](ServiceOfStore* service, grpc::ServerContext* context,
                      const RawRequest* request, HeldAnswer* answer) {
              return service->Answer(method, *context, *request, *answer);
            },
            this)));
  }

  grpc::Status Answer(const Method& method, grpc::ServerContext& context,
                      const RawRequest& request, HeldAnswer& answer) {
    // One that was reset may come without its request.
    if (context.IsCancelled() || !request.bytes.Valid()) {
      admission_.NoteReset(context.peer());
      return grpc::Status::CANCELLED;
    }
    const Credentials shown = CredentialsOf(context);
    absl::StatusOr<AdmittedCall> admitted =
        gate_.Enter(shown, "grpc", method.name());
    if (!admitted.ok()) return ToGrpc(admitted.status());
    GrpcCall call(method, admission_, shown.peer.address);
    const absl::Status status =
        calls_.Run("grpc", method.name(), absl::FromChrono(context.deadline()),
                   [&] { return call.Run(store_, request.bytes, answer); });
    admitted->End(call.request(), call.response(), status);
    answer.watch =
        admission_.guard().Begin([&context] { context.TryCancel(); });
    return ToGrpc(status);
  }

  Store& store_;
  Admission& admission_;
  CallRunner& calls_;
  CallGate& gate_;
  std::deque<std::string> paths_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMetadataService(Store& store,
                                                   Admission& admission,
                                                   CallRunner& calls,
                                                   CallGate& gate) {
  return std::make_unique<ServiceOfStore>(
      ml_metadata::PutArtifactsRequest::descriptor()->file()->service(0), store,
      admission, calls, gate);
}

std::unique_ptr<grpc::Service> MakeStepService(Store& store,
                                               Admission& admission,
                                               CallRunner& calls,
                                               CallGate& gate) {
  return std::make_unique<ServiceOfStore>(
      v1::ClaimRequest::descriptor()->file()->service(0), store, admission,
      calls, gate);
}

}  // namespace rekindle
