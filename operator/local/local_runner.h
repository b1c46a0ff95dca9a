#ifndef REKINDLE_OPERATOR_LOCAL_LOCAL_RUNNER_H_
#define REKINDLE_OPERATOR_LOCAL_LOCAL_RUNNER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "operator/engine/engine.h"
#include "operator/local/journal.h"
#include "operator/local/run_view.h"
#include "operator/pods/pod_runner.h"
#include "operator/process/process_host.h"

namespace rekindle::argo {

struct LocalRunnerOptions {
  size_t max_processes = 16;                  // at the same time
  absl::Duration grace = absl::Seconds(120);  // from SIGTERM to SIGKILL
  Isolation isolation = Isolation::kAuto;
  // Gets what a person should know, once: "steps have no views ...".
  std::function<void(const std::string&)> on_notice;
};

// Runs a workflow to its end with processes of this machine: asks the engine
// what to do, does it, and tells the engine what came of it. SIGINT and SIGTERM
// stop the run as `argo stop` does, a second one as `argo terminate`.
// Thread-compatible; nothing it gets is owned.
class LocalRunner {
 public:
  LocalRunner(Engine& engine, PodRunner& pods, ProcessHost& host,
              Journal& journal, RunView& view, LocalRunnerOptions options);

  //   UNAVAILABLE         the process that starts the others was killed
  //   RESOURCE_EXHAUSTED  the disk is full
  absl::Status Run();

 private:
  struct Pod {
    PodTask task;
    uint64_t process = 0;  // 0: not started yet
    absl::Time kill_at = absl::InfiniteFuture();
    std::vector<std::string> paths;  // that no other pod may use meanwhile
  };

  void Act(Decision decision);
  void Kill(const std::string& node_id);
  void StartQueued();
  bool MayUsePaths(const Pod& pod) const;
  void Start(Pod pod);
  void End(const PodTask& task, PodResult result);
  // The engine has something to decide then.
  void TellEnd(const PodTask& task, PodResult result);
  absl::Status Collect();
  void Take(Pod pod, const ProcessReport& report);
  void ObeySignals();
  void KillOverdue(absl::Time now);
  // At what running pods write: their progress, and how much they log.
  void LookAtPods(absl::Time now);
  void Wait(absl::Time wake);

  Engine& engine_;
  PodRunner& pods_;
  ProcessHost& host_;
  Journal& journal_;
  RunView& view_;
  LocalRunnerOptions options_;
  std::deque<Pod> queued_;
  std::map<uint64_t, Pod> running_;
  uint64_t next_process_ = 1;
  int signals_ = 0;
  bool news_ = false;  // for the engine, since it last decided
  absl::Time looked_at_ = absl::InfinitePast();
  absl::Status failure_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_LOCAL_RUNNER_H_
