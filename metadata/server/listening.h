// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LISTENING_H_
#define REKINDLE_METADATA_SERVER_LISTENING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace rekindle {

// Sockets that listen on every address of `host`, and do not block. `port` may
// be 0 for any that is free and becomes the one that it is.
//
//   UNAVAILABLE        the port is taken
//   INVALID_ARGUMENT   the host is no address of this machine
//   PERMISSION_DENIED  the port is reserved
absl::StatusOr<std::vector<UniqueFd>> ListenOn(const std::string& host,
                                               int* port);

// Whether a server on `host` can be reached from this machine alone; false if
// `host` is no name of an address.
bool IsOnlyThisMachine(const std::string& host);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LISTENING_H_
