// Internal to operator/pods/pod_runner.
#ifndef REKINDLE_OPERATOR_PODS_POD_FILES_H_
#define REKINDLE_OPERATOR_PODS_POD_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "operator/pods/pod_paths.h"
#include "operator/pods/pod_task.h"
#include "operator/pods/pod_view.h"

// What pods get in files, and give in files. A pod without a view (null) has
// those files at this machine's own paths.
namespace rekindle::argo {

// The paths of the pod's input artifacts and of all its outputs.
std::vector<std::string> FilePaths(const PodTask& task);

// Puts the input artifacts where the pod looks for them.
//
//   NOT_FOUND  one that is not optional is not there
absl::Status PlaceInputs(const PodTask& task, const PodPaths& paths,
                         PodView* view);

// Adds to `outputs` what the pod has written; artifacts are the run's then.
// What was found before an error is in it.
//
//   NOT_FOUND  one that has to be there is not
absl::Status TakeOutputs(const PodTask& task, const PodPaths& paths,
                         const PodView* view, NodeOutputs& outputs);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_FILES_H_
