#include "component/strategies/peers.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "component/strategies/host_port.h"
#include "component/strategies/tf_config.h"

namespace rekindle {
namespace {

constexpr absl::Duration kConnectTimeout = absl::Seconds(2);
constexpr absl::Duration kBetweenTries = absl::Milliseconds(100);
constexpr absl::Duration kBetweenLogLines = absl::Seconds(10);

std::string WorkerNames(const Cluster& cluster,
                        const std::vector<int>& workers) {
  return absl::StrJoin(workers, ", ", [&](std::string* out, int worker) {
    absl::StrAppend(out, WorkerName(cluster, worker));
  });
}

absl::Status Stopped() {
  return absl::CancelledError("asked to stop while waiting for other workers");
}

}  // namespace

std::string WorkerName(const Cluster& cluster, int worker) {
  return absl::StrCat("worker ", worker, " (",
                      cluster.workers[static_cast<size_t>(worker)], ")");
}

std::vector<int> SilentPeers(const Cluster& cluster) {
  std::vector<int> silent;
  for (size_t i = 0; i < cluster.workers.size(); ++i) {
    const auto worker = static_cast<int>(i);
    if (worker == cluster.worker) continue;
    if (!Answers(cluster.workers[i], kConnectTimeout)) silent.push_back(worker);
  }
  return silent;
}

absl::Status WaitForPeers(const Cluster& cluster, const PeerWait& wait) {
  const absl::Time give_up = absl::Now() + wait.timeout;
  absl::Time next_line = absl::Now() + absl::Seconds(1);
  while (true) {
    const std::vector<int> silent = SilentPeers(cluster);
    if (silent.empty()) return absl::OkStatus();
    if (wait.should_stop()) return Stopped();
    const absl::Time now = absl::Now();
    if (now >= give_up) {
      return absl::UnavailableError(absl::StrCat(
          "cannot reach ", WorkerNames(cluster, silent),
          " of TF_CONFIG, tried for ", absl::FormatDuration(wait.timeout)));
    }
    if (now >= next_line) {
      next_line = now + kBetweenLogLines;
      *wait.log << "waiting for " << WorkerNames(cluster, silent) << std::endl;
    }
    absl::SleepFor(kBetweenTries);
  }
}

absl::Status WaitForChiefsEnd(const Cluster& cluster,
                              const std::function<bool()>& should_stop) {
  while (Answers(cluster.workers.front(), kConnectTimeout)) {
    if (should_stop()) return Stopped();
    absl::SleepFor(kBetweenTries);
  }
  return absl::OkStatus();
}

}  // namespace rekindle
