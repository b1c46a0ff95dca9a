#include "metadata/server/grpc_service.h"

#include <memory>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/rpc_list.h"
#include "metadata/api/step_store.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/grpc_call.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {
namespace {

// Runs `call`, if its sender may, and hands on its answer, unless its client
// waits no longer.
template <typename Request, typename Response, typename Call>
grpc::Status Answer(CallRunner& calls, CallGate& gate, absl::string_view method,
                    const grpc::ServerContext& context, const Request* request,
                    Response* response, const Call& call) {
  absl::StatusOr<AdmittedCall> admitted =
      gate.Enter(CredentialsOf(context), "grpc", method);
  if (!admitted.ok()) return ToGrpc(admitted.status());
  const absl::Status status = calls.Run(
      "grpc", method, absl::FromChrono(context.deadline()),
      [&]() -> absl::Status {
        if (context.IsCancelled()) {
          return absl::CancelledError("the client went away before its turn");
        }
        RK_ASSIGN_OR_RETURN(*response, call());
        return absl::OkStatus();
      });
  admitted->End(request, response, status);
  return ToGrpc(status);
}

class MetadataService final
    : public ml_metadata::MetadataStoreService::Service {
 public:
  MetadataService(MetadataStore& store, CallRunner& calls, CallGate& gate)
      : store_(store), calls_(calls), gate_(gate) {}

#define RK_SERVE(Rpc)                                               \
  grpc::Status Rpc(grpc::ServerContext* context,                    \
                   const ml_metadata::Rpc##Request* request,        \
                   ml_metadata::Rpc##Response* response) override { \
    return Answer(calls_, gate_, #Rpc, *context, request, response, \
                  [&] { return store_.Rpc(*request); });            \
  }
  RK_FOR_EACH_WRITE_RPC(RK_SERVE)
  RK_FOR_EACH_READ_RPC(RK_SERVE)
#undef RK_SERVE

 private:
  MetadataStore& store_;
  CallRunner& calls_;
  CallGate& gate_;
};

class StepServiceOfStore final : public v1::StepService::Service {
 public:
  StepServiceOfStore(StepStore& store, CallRunner& calls, CallGate& gate)
      : store_(store), calls_(calls), gate_(gate) {}

#define RK_SERVE(Rpc)                                               \
  grpc::Status Rpc(grpc::ServerContext* context,                    \
                   const v1::Rpc##Request* request,                 \
                   v1::Rpc##Response* response) override {          \
    return Answer(calls_, gate_, #Rpc, *context, request, response, \
                  [&] { return store_.Rpc(*request); });            \
  }
  RK_FOR_EACH_STEP_RPC(RK_SERVE)
#undef RK_SERVE

 private:
  StepStore& store_;
  CallRunner& calls_;
  CallGate& gate_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMetadataService(MetadataStore& store,
                                                   CallRunner& calls,
                                                   CallGate& gate) {
  return std::make_unique<MetadataService>(store, calls, gate);
}

std::unique_ptr<grpc::Service> MakeStepService(StepStore& store,
                                               CallRunner& calls,
                                               CallGate& gate) {
  return std::make_unique<StepServiceOfStore>(store, calls, gate);
}

}  // namespace rekindle
