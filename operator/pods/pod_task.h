#ifndef REKINDLE_OPERATOR_PODS_POD_TASK_H_
#define REKINDLE_OPERATOR_PODS_POD_TASK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/pods/node_outputs.h"
#include "operator/pods/phase.h"
#include "operator/pods/volumes.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// A pod to run: a container or script template with all its tags replaced and
// its input artifacts found.
struct PodTask {
  std::string node_id;
  std::string node_name;
  std::string pod_name;
  std::shared_ptr<const Template> definition;
  std::vector<PodMount> mounts;
  bool wants_result = false;  // somebody refers to outputs.result
  absl::Time deadline = absl::InfiniteFuture();  // for ARGO_DEADLINE
};

// How a pod went.
struct PodResult {
  Phase phase = Phase::kSucceeded;
  std::string message;
  NodeOutputs outputs;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_TASK_H_
