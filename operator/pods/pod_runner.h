#ifndef REKINDLE_OPERATOR_PODS_POD_RUNNER_H_
#define REKINDLE_OPERATOR_PODS_POD_RUNNER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/pods/log_limit.h"
#include "operator/pods/pod_paths.h"
#include "operator/pods/pod_runner_options.h"
#include "operator/pods/pod_task.h"
#include "operator/pods/pod_view.h"
#include "operator/pods/process_maker.h"
#include "operator/process/process_host.h"
#include "operator/process/process_spec.h"

namespace rekindle::argo {

// Makes processes of pods: places their inputs, says what to start, and takes
// their outputs when they have ended. Thread-compatible.
class PodRunner {
 public:
  explicit PodRunner(PodRunnerOptions options);
  ~PodRunner();
  PodRunner(const PodRunner&) = delete;
  PodRunner& operator=(const PodRunner&) = delete;

  // Makes the folders that all pods share.
  absl::Status MakeFolders() const { return paths_.MakeFolders(); }

  // What to start for a pod; its files are in place then.
  //
  //   NOT_FOUND            an input artifact is not there
  //   INVALID_ARGUMENT     the container has no command, or a name or path of
  //                        it leads out of its folder
  //   FAILED_PRECONDITION  without a view of its own, a path it would write
  //                        exists already
  absl::StatusOr<ProcessSpec> Prepare(const PodTask& task);

  // What came of it. Once per pod that was prepared and started.
  PodResult Finish(const PodTask& task, const ProcessReport& report);
  // Removes what Prepare() has placed for a pod that is not started after all.
  void Discard(const PodTask& task);

  // Cuts the log of a running pod when it has grown beyond the limit.
  void TrimLog(const PodTask& task);

  // Nothing gets a view any more: this machine does not permit it.
  void GiveUpIsolation() { options_.isolation = Isolation::kNone; }
  // The paths of this machine that a pod without a view uses for itself.
  std::vector<std::string> OwnPaths(const PodTask& task) const;

  std::string LogPath(const std::string& pod_name) const {
    return paths_.Log(pod_name);
  }
  std::string ProgressPath(const std::string& node_id) const {
    return paths_.Progress(node_id);
  }

 private:
  bool WantsView(const PodTask& task) const;
  absl::StatusOr<std::unique_ptr<PodView>> MakeView(const PodTask& task) const;
  absl::Status AddMount(const PodTask& task, const PodMount& mount,
                        PodView& view) const;
  const PodView* ViewOf(const PodTask& task) const;
  absl::Status RemoveEarlierAttempt(const PodTask& task) const;
  void Explain(const PodTask& task, const ProcessReport& report,
               std::string& message) const;

  PodRunnerOptions options_;
  const PodPaths paths_;
  const ProcessMaker processes_;
  std::map<std::string, std::unique_ptr<PodView>> views_;  // by node id
  std::map<std::string, DroppedLog> dropped_;              // likewise
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_RUNNER_H_
