// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_VERIFY_H_
#define REKINDLE_METADATA_STORE_VERIFY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "metadata/sqlite/database.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// Looks for what should not be: a damaged file, rows that point at nothing,
// tables of ours that are out of date, executions left running. Reads only.
absl::Status VerifyStore(Database& db, const v1::VerifyRequest& request,
                         int64_t now_millis, v1::VerifyResponse& response);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_VERIFY_H_
