#ifndef REKINDLE_OPERATOR_PODS_VOLUMES_H_
#define REKINDLE_OPERATOR_PODS_VOLUMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What a pod mounts somewhere.
struct PodMount {
  enum class Kind {
    kEmptyDir,       // new for each pod
    kHostPath,       // of this machine
    kClaim,          // outlives the run
    kClaimTemplate,  // of the run
  };

  Kind kind = Kind::kEmptyDir;
  std::string name;  // of the volume or claim
  std::string host_path;
  std::string path;  // where the pod sees it
  std::string sub_path;
  bool read_only = false;
};

// The mounts of a rendered template, by the volumes that it or `workflow` has;
// tags of the latter are replaced from `scope`.
//
//   INVALID_ARGUMENT  a mount of a volume that is not there, or of a kind that
//                     only a cluster has; a name or subPath that Kubernetes
//                     would not take
absl::StatusOr<std::vector<PodMount>> MountsOf(const Template& rendered,
                                               const Workflow& workflow,
                                               const Scope& scope);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_VOLUMES_H_
