#ifndef REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_
#define REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "metadata/api/maintenance_store.h"
#include "metadata/server/access/call_gate.h"

namespace rekindle {

// rekindle.v1.MaintenanceService. A backup is made in a temporary file beside
// the server and streamed from there; a load is received whole before the store
// is touched. These calls take as long as they take: no limit of other calls is
// theirs. `store`, and `gate`, which lets them in, are not owned and must
// outlive the service.
std::unique_ptr<grpc::Service> MakeMaintenanceService(MaintenanceStore& store,
                                                      CallGate& gate);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_
