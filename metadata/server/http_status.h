// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_STATUS_H_
#define REKINDLE_METADATA_SERVER_HTTP_STATUS_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// The HTTP status that stands for a canonical code, as google.rpc.Code has it.
int HttpStatusOf(absl::StatusCode code);

// {"code": 5, "status": "NOT_FOUND", "message": "..."}
std::string ErrorBody(const absl::Status& status);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_HTTP_STATUS_H_
