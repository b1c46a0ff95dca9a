#ifndef REKINDLE_OPERATOR_LOCAL_POD_TASK_H_
#define REKINDLE_OPERATOR_LOCAL_POD_TASK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/local/node.h"
#include "operator/local/volumes.h"
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

struct PodKill {
  std::string node_id;
  std::string message;  // of the node, once the pod has ended
};

// What is to be done next.
struct Decision {
  std::vector<PodTask> start;
  std::vector<PodKill> kill;
  // When to ask again although nothing happened.
  absl::Time wake = absl::InfiniteFuture();
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_POD_TASK_H_
