#ifndef REKINDLE_COMPONENT_STRATEGIES_PEERS_H_
#define REKINDLE_COMPONENT_STRATEGIES_PEERS_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "component/strategies/tf_config.h"

namespace rekindle {

// "worker 1 (b:2222)".
std::string WorkerName(const Cluster& cluster, int worker);

// The other workers of the cluster that accept no connection.
std::vector<int> SilentPeers(const Cluster& cluster);

// How to wait for other processes.
struct PeerWait {
  absl::Duration timeout;
  std::function<bool()> should_stop = [] { return false; };
  std::ostream* log;  // not owned; says from time to time for whom we wait
};

// Waits until all other workers accept connections.
//
//   UNAVAILABLE  one did not in time (which)
//   CANCELLED    asked to stop
absl::Status WaitForPeers(const Cluster& cluster, const PeerWait& wait);

// Waits until the chief accepts no connections any more: it has ended. Has no
// timeout.
//
//   CANCELLED  asked to stop
absl::Status WaitForChiefsEnd(const Cluster& cluster,
                              const std::function<bool()>& should_stop);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_PEERS_H_
