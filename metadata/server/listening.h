// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LISTENING_H_
#define REKINDLE_METADATA_SERVER_LISTENING_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Why a server could not listen on `host` and `port`, which libraries do not
// say: found out by trying once more. Never OK.
//
//   UNAVAILABLE        the port is taken, or was until now
//   INVALID_ARGUMENT   the host is no address of this machine
//   PERMISSION_DENIED  the port is reserved
absl::Status WhyNotListening(const std::string& host, int port);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LISTENING_H_
