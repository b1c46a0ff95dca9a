#ifndef REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_
#define REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "metadata/api/maintenance_store.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/limits/admission.h"

namespace rekindle {

// rekindle.v1.MaintenanceService. Backups and exports are made in a file beside
// the server and sent from there, so that no client keeps the store waiting; a
// load is received whole before the store is touched. These calls have a limit
// of their own for their time. A client that takes or sends nothing for too
// long loses its call. None of these is owned, and all must outlive the
// service.
std::unique_ptr<grpc::Service> MakeMaintenanceService(MaintenanceStore& store,
                                                      Admission& admission,
                                                      CallRunner& calls,
                                                      CallGate& gate);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_MAINTENANCE_SERVICE_H_
