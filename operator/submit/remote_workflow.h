#ifndef REKINDLE_OPERATOR_SUBMIT_REMOTE_WORKFLOW_H_
#define REKINDLE_OPERATOR_SUBMIT_REMOTE_WORKFLOW_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"

namespace rekindle::argo {

// The workflow of that name; "@latest" is the one made last.
//
//   NOT_FOUND  there is none, or there is no such namespace, as far as the
//              account may know
absl::StatusOr<nlohmann::json> GetWorkflow(const std::string& in_namespace,
                                           const std::string& name,
                                           KubeClient& client);

std::string WorkflowName(const nlohmann::json& workflow);
// "Pending" before the controller has seen it.
std::string WorkflowPhase(const nlohmann::json& workflow);
std::string WorkflowMessage(const nlohmann::json& workflow);
// Whether it has ended, as `argo wait` sees it.
bool HasFinished(const nlohmann::json& workflow);
// Whether it ended well.
bool HasSucceeded(const nlohmann::json& workflow);

// Makes status.nodes readable where the controller packed them to fit into the
// cluster's store; nodes that it moved to a database of its own stay away.
//
//   FAILED_PRECONDITION  they are packed in a way that is not understood
absl::Status UnpackNodes(nlohmann::json& workflow);

// Follows a workflow until it has finished, and returns it then. `on_change` is
// told of it as it is and at each change, its nodes unpacked; its error ends
// the following and is returned.
//
//   NOT_FOUND  it was deleted meanwhile
//   and as ObjectFollower::Run
absl::StatusOr<nlohmann::json> FollowWorkflow(
    const nlohmann::json& workflow, FollowOptions options, KubeClient& client,
    const std::function<absl::Status(const nlohmann::json&)>& on_change);
absl::StatusOr<nlohmann::json> AwaitWorkflow(const nlohmann::json& workflow,
                                             FollowOptions options,
                                             KubeClient& client);

enum class Shutdown { kStop, kTerminate };

// Asks the controller to end a workflow: kStop lets exit handlers run. Returns
// what became of it. `message`, if not empty, is kept in its annotations.
//
//   FAILED_PRECONDITION  it has finished already
absl::StatusOr<nlohmann::json> StopWorkflow(const nlohmann::json& workflow,
                                            Shutdown how,
                                            const std::string& message,
                                            KubeClient& client);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_REMOTE_WORKFLOW_H_
