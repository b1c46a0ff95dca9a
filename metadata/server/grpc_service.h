#ifndef REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_
#define REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "metadata/api/metadata_store.h"
#include "metadata/api/step_store.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"

namespace rekindle {

// ml_metadata.MetadataStoreService and rekindle.v1.StepService: each call is
// one call of the store, let in by `gate` and run by `calls`, with its status.
// None of them is owned, and all must outlive the service.
std::unique_ptr<grpc::Service> MakeMetadataService(MetadataStore& store,
                                                   CallRunner& calls,
                                                   CallGate& gate);
std::unique_ptr<grpc::Service> MakeStepService(StepStore& store,
                                               CallRunner& calls,
                                               CallGate& gate);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_
