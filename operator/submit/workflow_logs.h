#ifndef REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_
#define REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"

namespace rekindle::argo {

struct WorkflowLogOptions {
  LogOptions log;         // of each pod
  std::string pod;        // a pod's or a node's name; empty: all
  bool executor = false;  // also what Argo's executor says of its own work
  FollowOptions follow;
};

// A line of a node's container; called by one thread at a time.
using NodeLineSink =
    std::function<void(const std::string& node_name, absl::string_view line)>;

// The logs of a workflow's pods. Without options.log.follow those that there
// are, pod by pod in the order of their start; with it, as they appear and
// speak, until the workflow has finished. A pod that is deleted meanwhile is
// passed over.
//
//   NOT_FOUND  there is no such pod, or, without follow, none (any more)
//   and as ObjectFollower::Run
absl::Status ReadWorkflowLogs(const nlohmann::json& workflow,
                              const WorkflowLogOptions& options,
                              KubeClient& client, const NodeLineSink& sink);

// The node that a pod runs, without the workflow's name in front: "train(0)";
// the pod's name if it does not say.
std::string NodeNameOf(const nlohmann::json& pod);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_
