#ifndef REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_
#define REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"

namespace rekindle::argo {

// Their `cancel_fd`s are not heeded: the sink ends it.
struct WorkflowLogOptions {
  LogOptions log;         // of each pod
  std::string pod;        // a pod's or a node's name; empty: all
  bool executor = false;  // also what Argo's executor says of its own work
  FollowOptions follow;   // on_lost: by one thread at a time
};

// A line of a node's container; called by one thread at a time. An error ends
// the reading and is returned.
using NodeLineSink = std::function<absl::Status(const std::string& node_name,
                                                absl::string_view line)>;

// The logs of a workflow's pods; returns the workflow as it is then.
//
// Without options.log.follow, or when it has finished, those that there are,
// pod by pod in the order of their start. With it, as they appear and speak,
// until the workflow has finished: pods that have ended a few at a time, and 64
// of those that run; the others wait until one of these has ended.
//
// A pod that is deleted meanwhile is passed over, and so is one that has not
// got the container. A log that is out of reach is tried again, without
// options.log.follow for a short time; then the others are still read, and the
// error comes at the end. Any other error ends it at once.
//
//   NOT_FOUND          there is no such pod, or, without follow, none (any
//                      more); or none has the container
//   UNAVAILABLE        a log was out of reach for too long
//   PERMISSION_DENIED  the account may not list pods or read their logs
//   and as ObjectFollower::Run
absl::StatusOr<nlohmann::json> ReadWorkflowLogs(
    const nlohmann::json& workflow, const WorkflowLogOptions& options,
    KubeClient& client, const NodeLineSink& sink);

// The node that a pod runs, without the workflow's name in front: "train(0)";
// the pod's name if it does not say.
std::string NodeNameOf(const nlohmann::json& pod);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_WORKFLOW_LOGS_H_
