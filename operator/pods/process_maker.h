// Internal to operator/pods/pod_runner.
#ifndef REKINDLE_OPERATOR_PODS_PROCESS_MAKER_H_
#define REKINDLE_OPERATOR_PODS_PROCESS_MAKER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/pods/pod_paths.h"
#include "operator/pods/pod_runner_options.h"
#include "operator/pods/pod_task.h"
#include "operator/process/process_spec.h"

namespace rekindle::argo {

// The container that a pod's template has, of its own or for its script.
const Container& ContainerOf(const Template& definition);

// Says which process does what a pod's container would: its command, its
// environment, where it starts. Thread-compatible.
class ProcessMaker {
 public:
  // Takes the environment that this program has now. Neither of them is owned;
  // both must outlive this.
  ProcessMaker(const PodRunnerOptions& options, const PodPaths& paths);

  // The process, without a view; the file of a script is written.
  //
  //   INVALID_ARGUMENT  the template is of a kind that only a cluster has, or
  //                     has no command
  absl::StatusOr<ProcessSpec> Make(const PodTask& task) const;

 private:
  absl::StatusOr<std::vector<std::string>> Arguments(const PodTask& task) const;
  std::map<std::string, std::string> Environment(const PodTask& task) const;
  std::string WorkingFolder(const PodTask& task) const;

  const PodRunnerOptions& options_;
  const PodPaths& paths_;
  std::map<std::string, std::string> environment_;  // of all pods
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_PROCESS_MAKER_H_
