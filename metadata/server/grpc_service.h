// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_
#define REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "metadata/api/open_store.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/limits/admission.h"

namespace rekindle {

// ml_metadata.MetadataStoreService and rekindle.v1.StepService: each call is
// one call of the store, let in by `gate` and run by `calls`, with its status.
// A call that `admission` has no place for is refused before its request is
// parsed, which takes many times the memory of its bytes. None of them is
// owned, and all must outlive the service.
std::unique_ptr<grpc::Service> MakeMetadataService(Store& store,
                                                   Admission& admission,
                                                   CallRunner& calls,
                                                   CallGate& gate);
std::unique_ptr<grpc::Service> MakeStepService(Store& store,
                                               Admission& admission,
                                               CallRunner& calls,
                                               CallGate& gate);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_GRPC_SERVICE_H_
