// Internal to operator/pods/pod_runner.
#ifndef REKINDLE_OPERATOR_PODS_POD_PATHS_H_
#define REKINDLE_OPERATOR_PODS_POD_PATHS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/pods/pod_runner_options.h"
#include "operator/pods/pod_task.h"

namespace rekindle::argo {

// Where the files of a run's pods are on this machine. Thread-compatible.
class PodPaths {
 public:
  // `options` are not owned and must outlive this.
  explicit PodPaths(const PodRunnerOptions& options) : options_(options) {}

  // Makes the folders that all pods share.
  absl::Status MakeFolders() const;

  std::string Log(const std::string& pod_name) const;
  std::string Progress(const std::string& node_id) const;
  // What a pod has to say when it fails.
  std::string Message(const std::string& node_id) const;

  // What is of one pod only, and in it what its view has of its own.
  std::string Folder(const PodTask& task) const;
  std::string OwnRoot(const PodTask& task) const;
  // What views share that have nothing of their own in "/" itself.
  std::string CommonRoot() const;

  // An artifact that the run keeps.
  //
  //   INVALID_ARGUMENT     its key or its subPath names what is outside
  //   FAILED_PRECONDITION  so does a link that its subPath meets
  absl::StatusOr<std::string> Stored(const Artifact& artifact) const;

  // What the pod mounts; it is made if it is not there.
  //
  //   FAILED_PRECONDITION  its subPath leads out of the volume
  absl::StatusOr<std::string> Volume(const PodTask& task,
                                     const PodMount& mount) const;

 private:
  std::string Claim(const std::string& name) const;

  const PodRunnerOptions& options_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_PATHS_H_
