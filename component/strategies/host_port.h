#ifndef REKINDLE_COMPONENT_STRATEGIES_HOST_PORT_H_
#define REKINDLE_COMPONENT_STRATEGIES_HOST_PORT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rekindle {

// Where a server listens. A plain value.
struct HostPort {
  std::string host;
  std::string port;
};

// Splits "host:port" or "[::1]:port".
//
//   INVALID_ARGUMENT  it is none
absl::StatusOr<HostPort> SplitHostPort(const std::string& address);

// Whether a server accepts connections at `address` ("host:port"), by trying
// it for at most `timeout`.
bool Answers(const std::string& address, absl::Duration timeout);

// `count` ports of the loopback that are free now. Nothing keeps them free.
//
//   UNAVAILABLE  there are not as many
absl::StatusOr<std::vector<int>> FreeLoopbackPorts(int count);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_HOST_PORT_H_
