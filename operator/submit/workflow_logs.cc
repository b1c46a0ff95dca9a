#include "operator/submit/workflow_logs.h"

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/backoff.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/kube/resource.h"
#include "operator/submit/pod_log.h"
#include "operator/submit/remote_workflow.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string PodNameOf(const json& pod) { return TextAt(pod, "/metadata/name"); }

bool IsAskedFor(const json& pod, const std::string& name) {
  return name.empty() || PodNameOf(pod) == name || NodeNameOf(pod) == name;
}

// Argo's executor starts the step's command in the same container, and writes
// there too.
bool IsOfTheExecutor(absl::string_view line) {
  return absl::StartsWith(line, "time=") &&
         absl::StrContains(line, " argo=true");
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

// Reads the logs of several pods at once.
class LogReaders {
 public:
  LogReaders(const WorkflowLogOptions& options, KubeClient& client,
             const NodeLineSink& sink)
      : options_(options), client_(client), sink_(sink) {}
  ~LogReaders() { Join().IgnoreError(); }

  // Starts with a pod, once.
  void Start(const json& pod) {
    if (!started_.insert(PodNameOf(pod)).second) return;
    threads_.emplace_back([this, pod] {
      const absl::Status read = Read(pod);
      const absl::MutexLock lock(&mutex_);
      if (status_.ok()) status_ = read;
    });
  }

  absl::Status Read(const json& pod) {
    const std::string node = NodeNameOf(pod);
    const absl::Status read = ReadWholeLog(
        TextAt(pod, "/metadata/namespace"), PodNameOf(pod), options_.log,
        options_.follow, client_, [&](absl::string_view line) {
          if (!options_.executor && IsOfTheExecutor(line)) return;
          const absl::MutexLock lock(&mutex_);
          sink_(node, line);
        });
    // podGC and retries delete pods while we read; the workflow goes on.
    return absl::IsNotFound(read) ? absl::OkStatus() : read;
  }

  // The first error so far.
  absl::Status status() {
    const absl::MutexLock lock(&mutex_);
    return status_;
  }
  bool none() const { return started_.empty(); }

  // Waits for all of them; the first error.
  absl::Status Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return status();
  }

 private:
  const WorkflowLogOptions& options_;
  KubeClient& client_;
  const NodeLineSink& sink_;
  std::set<std::string> started_;
  std::vector<std::thread> threads_;
  absl::Mutex mutex_;
  absl::Status status_;
};

absl::Status NoPods(const json& workflow, const std::string& asked_for) {
  const std::string name = WorkflowName(workflow);
  if (!asked_for.empty()) {
    return absl::NotFoundError(absl::StrCat("workflow '", name,
                                            "' has no pod or node '", asked_for,
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

absl::Status ReadOnce(const json& workflow, const WorkflowLogOptions& options,
                      KubeClient& client, const NodeLineSink& sink) {
  RK_ASSIGN_OR_RETURN(const std::vector<json> pods,
                      StartedPods(workflow, options.pod, client));
  if (pods.empty()) return NoPods(workflow, options.pod);
  LogReaders readers(options, client, sink);
  for (const json& pod : pods) RK_RETURN_IF_ERROR(readers.Read(pod));
  return absl::OkStatus();
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

absl::Status ReadWorkflowLogs(const json& workflow,
                              const WorkflowLogOptions& options,
                              KubeClient& client, const NodeLineSink& sink) {
  if (!options.log.follow || HasFinished(workflow)) {
    return ReadOnce(workflow, options, client, sink);
  }
  LogReaders readers(options, client, sink);
  absl::Status listed;
  // Each start of a pod changes the workflow, so its changes say when to look.
  const absl::StatusOr<json> last =
      FollowWorkflow(workflow, options.follow, client, [&](const json& now) {
        const auto pods = StartedPods(now, options.pod, client);
        listed = pods.status();
        if (!pods.ok()) return readers.status();
        for (const json& pod : *pods) readers.Start(pod);
        return readers.status();
      });
  const absl::Status read = readers.Join();
  RK_RETURN_IF_ERROR(last.status());
  RK_RETURN_IF_ERROR(listed);
  RK_RETURN_IF_ERROR(read);
  const bool missing = !options.pod.empty() && readers.none();
  return missing ? NoPods(*last, options.pod) : absl::OkStatus();
}

}  // namespace rekindle::argo
