#ifndef REKINDLE_OPERATOR_LOCAL_POD_RUNNER_H_
#define REKINDLE_OPERATOR_LOCAL_POD_RUNNER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/local/pod_task.h"
#include "operator/local/pod_view.h"
#include "operator/local/process_host.h"
#include "operator/local/process_spec.h"

namespace rekindle::argo {

// Whether pods get views of their own of the file system.
enum class Isolation {
  kAuto,      // those that need one, if this machine permits it
  kRequired,  // all of them
  kNone,
};

struct PodRunnerOptions {
  std::string workflow_name;
  std::string run_folder;      // absolute; logs, artifacts, pods' own files
  std::string work_folder;     // absolute; pods start here
  std::string program_folder;  // is searched for programs first
  Isolation isolation = Isolation::kAuto;
  // What claims are on this machine, by name; others are folders of ours.
  std::map<std::string, std::string> claims;
  // What images run where a template has no command, by the image's name.
  std::map<std::string, std::string> image_commands;
  std::vector<std::string> shared;  // stay visible below /tmp
};

// Makes processes of pods: places their inputs, says what to start, and takes
// their outputs when they have ended. Thread-compatible.
class PodRunner {
 public:
  explicit PodRunner(PodRunnerOptions options);
  ~PodRunner();

  // Makes the folders that all pods share.
  absl::Status MakeFolders();

  // What to start for a pod; its files are in place then.
  //
  //   NOT_FOUND            an input artifact is not there
  //   INVALID_ARGUMENT     the container has no command
  //   FAILED_PRECONDITION  without a view of its own, a path it would write
  //                        exists already
  absl::StatusOr<ProcessSpec> Prepare(const PodTask& task);

  // What came of it. Once per pod that was prepared.
  PodResult Finish(const PodTask& task, const ProcessReport& report);

  // Nothing gets a view any more: this machine does not permit it.
  void GiveUpIsolation() { options_.isolation = Isolation::kNone; }
  // The paths of this machine that a pod without a view uses for itself.
  std::vector<std::string> OwnPaths(const PodTask& task) const;

  std::string LogPath(const std::string& pod_name) const;
  std::string ProgressPath(const std::string& node_id) const;

 private:
  bool WantsView(const PodTask& task) const;
  absl::StatusOr<std::unique_ptr<PodView>> MakeView(const PodTask& task);
  absl::Status AddMount(const PodTask& task, const PodMount& mount,
                        PodView& view);
  absl::StatusOr<std::string> VolumeFolder(const PodTask& task,
                                           const PodMount& mount) const;
  absl::Status CheckWithoutView(const PodTask& task) const;
  absl::Status PlaceInputs(const PodTask& task, PodView* view);
  absl::StatusOr<std::vector<std::string>> Arguments(const PodTask& task) const;
  std::vector<std::string> Environment(const PodTask& task) const;
  std::string WorkingFolder(const PodTask& task) const;
  std::string StoredPath(const Artifact& artifact) const;
  std::string PodFolder(const PodTask& task) const;

  absl::Status TakeParameters(const PodTask& task, NodeOutputs& outputs) const;
  absl::Status TakeArtifacts(const PodTask& task, NodeOutputs& outputs) const;
  std::string Outside(const PodTask& task, const std::string& path) const;
  void CleanUp(const PodTask& task);

  PodRunnerOptions options_;
  std::map<std::string, std::unique_ptr<PodView>> views_;  // by node id
  std::map<std::string, std::string> environment_;         // ours
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_POD_RUNNER_H_
