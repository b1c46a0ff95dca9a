#include "metadata/server/grpc_service.h"

#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "metadata/api/rpc_list.h"
#include "ml_metadata/proto/metadata_store_service.grpc.pb.h"
#include "rekindle/v1/step_service.grpc.pb.h"

namespace rekindle {
namespace {

// Runs `call` unless its client waits no longer: the deadline passed, or it
// went away. absl's codes are gRPC's.
template <typename Response, typename Call>
grpc::Status Answer(const grpc::ServerContext& context, Response* response,
                    const Call& call) {
  if (context.IsCancelled()) {
    return {grpc::StatusCode::DEADLINE_EXCEEDED,
            "the call was not begun: its client waits no longer"};
  }
  absl::StatusOr<Response> result = call();
  if (!result.ok()) {
    return {static_cast<grpc::StatusCode>(result.status().code()),
            std::string(result.status().message())};
  }
  *response = *std::move(result);
  return grpc::Status::OK;
}

class MetadataService final
    : public ml_metadata::MetadataStoreService::Service {
 public:
  explicit MetadataService(MetadataStore& store) : store_(store) {}

#define RK_SERVE(Rpc)                                                        \
  grpc::Status Rpc(grpc::ServerContext* context,                             \
                   const ml_metadata::Rpc##Request* request,                 \
                   ml_metadata::Rpc##Response* response) override {          \
    return Answer(*context, response, [&] { return store_.Rpc(*request); }); \
  }
  RK_FOR_EACH_WRITE_RPC(RK_SERVE)
  RK_FOR_EACH_READ_RPC(RK_SERVE)
#undef RK_SERVE

 private:
  MetadataStore& store_;
};

class StepServiceOfStore final : public v1::StepService::Service {
 public:
  explicit StepServiceOfStore(StepStore& store) : store_(store) {}

#define RK_SERVE(Rpc)                                                        \
  grpc::Status Rpc(grpc::ServerContext* context,                             \
                   const v1::Rpc##Request* request,                          \
                   v1::Rpc##Response* response) override {                   \
    return Answer(*context, response, [&] { return store_.Rpc(*request); }); \
  }
  RK_FOR_EACH_STEP_RPC(RK_SERVE)
#undef RK_SERVE

 private:
  StepStore& store_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeMetadataService(MetadataStore& store) {
  return std::make_unique<MetadataService>(store);
}

std::unique_ptr<grpc::Service> MakeStepService(StepStore& store) {
  return std::make_unique<StepServiceOfStore>(store);
}

}  // namespace rekindle
