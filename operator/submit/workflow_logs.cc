#include "operator/submit/workflow_logs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/kube/resource.h"
#include "operator/submit/log_readers.h"
#include "operator/submit/remote_workflow.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// How long a log that is not followed may be out of reach: the next pods' may
// not be.
constexpr absl::Duration kShortOutage = absl::Seconds(10);

std::string PodNameOf(const json& pod) { return TextAt(pod, "/metadata/name"); }

bool IsAskedFor(const json& pod, const std::string& name) {
  return name.empty() || PodNameOf(pod) == name || NodeNameOf(pod) == name;
}

// The pods that have begun, the first first.
absl::StatusOr<std::vector<json>> StartedPods(const json& workflow,
                                              const std::string& asked_for,
                                              KubeClient& client) {
  ListOptions which;
  which.label_selector =
      absl::StrCat("workflows.argoproj.io/workflow=", WorkflowName(workflow));
  RK_ASSIGN_OR_RETURN(
      json list,
      client.List(kPods, TextAt(workflow, "/metadata/namespace"), which));
  std::vector<json> pods;
  for (json& pod : list["items"]) {
    const bool begun = TextAt(pod, "/status/phase") != "Pending";
    if (begun && IsAskedFor(pod, asked_for)) pods.push_back(std::move(pod));
  }
  std::stable_sort(pods.begin(), pods.end(), [](const json& a, const json& b) {
    return TextAt(a, "/status/startTime") < TextAt(b, "/status/startTime");
  });
  return pods;
}

// Which of the pods are read, and why none is.
class Choice {
 public:
  // Not owned, must outlive this.
  explicit Choice(const WorkflowLogOptions& options) : options_(options) {}

  // Whether the pod has the container that is asked for.
  bool Takes(const json& pod) {
    const std::set<std::string> names = ContainersOf(pod);
    containers_.insert(names.begin(), names.end());
    const bool takes = names.contains(options_.log.container);
    seen_ = true;
    taken_ |= takes;
    return takes;
  }

  //   NOT_FOUND  there were pods, but none with the container; or none of the
  //              name that was asked for
  absl::Status Check(const json& workflow) const {
    if (taken_) return absl::OkStatus();
    if (seen_) return NoContainer(workflow);
    return options_.pod.empty() ? absl::OkStatus() : NoPods(workflow);
  }

  absl::Status NoPods(const json& workflow) const;

 private:
  static std::set<std::string> ContainersOf(const json& pod);
  absl::Status NoContainer(const json& workflow) const;

  const WorkflowLogOptions& options_;
  std::set<std::string> containers_;  // of all the pods
  bool seen_ = false;                 // a pod
  bool taken_ = false;
};

std::set<std::string> Choice::ContainersOf(const json& pod) {
  std::set<std::string> names;
  for (const char* key :
       {"containers", "initContainers", "ephemeralContainers"}) {
    const json::json_pointer at = json::json_pointer("/spec") / key;
    if (!pod.contains(at)) continue;
    for (const json& container : pod[at]) {
      names.insert(TextAt(container, "/name"));
    }
  }
  return names;
}

absl::Status Choice::NoContainer(const json& workflow) const {
  return absl::NotFoundError(
      absl::StrCat("no pod of workflow '", WorkflowName(workflow),
                   "' has a container '", options_.log.container,
                   "'; -c chooses one of: ", absl::StrJoin(containers_, ", ")));
}

absl::Status Choice::NoPods(const json& workflow) const {
  const std::string name = WorkflowName(workflow);
  if (!options_.pod.empty()) {
    return absl::NotFoundError(
        absl::StrCat("workflow '", name, "' has no pod or node '", options_.pod,
                     "' that has started"));
  }
  if (HasFinished(workflow)) {
    return absl::NotFoundError(absl::StrCat(
        "the pods of workflow '", name,
        "' are gone (podGC), and their logs with them; the artifact repository "
        "has them if archiveLogs is on"));
  }
  return absl::NotFoundError(absl::StrCat(
      "no pod of workflow '", name, "' has started yet; -f waits for them"));
}

absl::Status ReadOnce(const json& workflow, WorkflowLogOptions options,
                      KubeClient& client, const NodeLineSink& sink) {
  RK_ASSIGN_OR_RETURN(const std::vector<json> pods,
                      StartedPods(workflow, options.pod, client));
  Choice choice(options);
  if (pods.empty()) return choice.NoPods(workflow);
  options.follow.backoff.total =
      std::min(options.follow.backoff.total, kShortOutage);
  LogReaders readers(options, client, sink);
  for (const json& pod : pods) {
    if (choice.Takes(pod)) RK_RETURN_IF_ERROR(readers.Read(pod));
  }
  RK_RETURN_IF_ERROR(choice.Check(workflow));
  return readers.Join();
}

// Starts with what there is of the workflow's pods by now, once the cluster
// answers.
absl::Status StartPods(const json& workflow, const WorkflowLogOptions& options,
                       KubeClient& client, Choice& choice,
                       LogReaders& readers) {
  const FollowOptions& follow = readers.follow();
  RK_ASSIGN_OR_RETURN(const std::vector<json> pods,
                      RetryWhileTransient(Backoff(follow.backoff), [&] {
                        auto listed =
                            StartedPods(workflow, options.pod, client);
                        if (IsTransient(listed)) {
                          follow.on_lost(listed.status());
                        }
                        return listed;
                      }));
  for (const json& pod : pods) {
    if (choice.Takes(pod)) readers.Start(pod);
  }
  return readers.status();
}

absl::StatusOr<json> ReadWhileItRuns(const json& workflow,
                                     const WorkflowLogOptions& options,
                                     KubeClient& client,
                                     const NodeLineSink& sink) {
  Choice choice(options);
  LogReaders readers(options, client, sink);
  // Each start of a pod changes the workflow, so its changes say when to look.
  absl::StatusOr<json> last =
      FollowWorkflow(workflow, readers.follow(), client, [&](const json& now) {
        return StartPods(now, options, client, choice, readers);
      });
  // Pods end with a workflow that is deleted, and say so.
  const bool deleted = absl::IsNotFound(last.status());
  if (!last.ok() && !deleted) readers.Fail(last.status());
  const absl::Status read = readers.Join();
  if (deleted) return last;
  RK_RETURN_IF_ERROR(read);
  RK_RETURN_IF_ERROR(choice.Check(*last));
  return last;
}

}  // namespace

std::string NodeNameOf(const json& pod) {
  std::string node =
      TextAt(pod, "/metadata/annotations/workflows.argoproj.io~1node-name");
  if (node.empty()) return PodNameOf(pod);
  const std::string workflow =
      TextAt(pod, "/metadata/labels/workflows.argoproj.io~1workflow");
  absl::string_view rest = node;
  if (!absl::ConsumePrefix(&rest, workflow)) return node;
  absl::ConsumePrefix(&rest, ".");
  return rest.empty() ? node : std::string(rest);
}

absl::StatusOr<json> ReadWorkflowLogs(const json& workflow,
                                      const WorkflowLogOptions& options,
                                      KubeClient& client,
                                      const NodeLineSink& sink) {
  if (options.log.follow && !HasFinished(workflow)) {
    return ReadWhileItRuns(workflow, options, client, sink);
  }
  RK_RETURN_IF_ERROR(ReadOnce(workflow, options, client, sink));
  return workflow;
}

}  // namespace rekindle::argo
