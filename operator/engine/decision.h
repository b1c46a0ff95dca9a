#ifndef REKINDLE_OPERATOR_ENGINE_DECISION_H_
#define REKINDLE_OPERATOR_ENGINE_DECISION_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "operator/pods/pod_task.h"

namespace rekindle::argo {

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

#endif  // REKINDLE_OPERATOR_ENGINE_DECISION_H_
