// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_EXPORT_ROWS_H_
#define REKINDLE_METADATA_STORE_EXPORT_ROWS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "metadata/sqlite/database.h"
#include "rekindle/v1/maintenance_service.pb.h"

namespace rekindle {

// The format that is written and read.
inline constexpr int kExportFormat = 1;

// Calls `take` with everything in the store, in the order of an export, header
// and end included; a few hundred nodes are held at a time. Its error stops it.
absl::Status ExportRecords(
    Database& db,
    absl::FunctionRef<absl::Status(const v1::ExportRecord&)> take);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_EXPORT_ROWS_H_
