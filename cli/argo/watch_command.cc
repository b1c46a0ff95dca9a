#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/argo/cluster_flags.h"
#include "cli/argo/follow_view.h"
#include "cli/argo/workflow_command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "nlohmann/json.hpp"
#include "operator/kube/object_follower.h"
#include "operator/submit/remote_workflow.h"
#include "operator/view/live_view.h"
#include "operator/view/shown_workflow.h"
#include "operator/view/workflow_object.h"

namespace rekindle {
namespace {

// A view of what changes now and then, and whose durations run meanwhile.
class TickingView {
 public:
  TickingView() : view_(std::cout, [] { return StandardOutput(); }) {
    if (StandardOutput().terminal) ticker_ = std::thread([this] { Tick(); });
  }
  ~TickingView() { Stop(); }
  TickingView(const TickingView&) = delete;
  TickingView& operator=(const TickingView&) = delete;

  void Show(const nlohmann::json& workflow) {
    const absl::MutexLock lock(&mutex_);
    last_ = argo::ShowObject(workflow);
    view_.Show(*last_, absl::Now());
  }
  // What is written beside a drawing on a terminal is soon drawn over: the loss
  // of the cluster is a part of the drawing until it is found again. False when
  // there is no drawing.
  bool ShowLost(const absl::Status& status) {
    const absl::MutexLock lock(&mutex_);
    if (!view_.draws() || !last_.has_value()) return false;
    view_.SetNotice(absl::StrCat(status.message(), "; trying again"));
    return true;
  }
  void ShowFound() {
    const absl::MutexLock lock(&mutex_);
    view_.SetNotice("");
  }
  void Finish() {
    Stop();
    const absl::MutexLock lock(&mutex_);
    if (last_.has_value()) view_.Finish(*last_, absl::Now());
  }

 private:
  static argo::Screen StandardOutput() { return argo::ScreenOf(STDOUT_FILENO); }

  void Tick() {
    const absl::MutexLock lock(&mutex_);
    while (!mutex_.AwaitWithTimeout(absl::Condition(&stopped_),
                                    argo::LiveView::kTick)) {
      if (last_.has_value()) view_.Show(*last_, absl::Now());
    }
  }
  void Stop() {
    {
      const absl::MutexLock lock(&mutex_);
      stopped_ = true;
    }
    if (ticker_.joinable()) ticker_.join();
  }

  absl::Mutex mutex_;
  argo::LiveView view_ ABSL_GUARDED_BY(mutex_);
  std::optional<argo::ShownWorkflow> last_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread ticker_;
};

}  // namespace

absl::StatusOr<int> FollowInView(const nlohmann::json& workflow,
                                 const Cluster& cluster) {
  TickingView view;
  argo::FollowOptions follow = cluster.follow;
  follow.on_lost = [&](const absl::Status& lost) {
    if (!view.ShowLost(lost) && cluster.follow.on_lost) {
      cluster.follow.on_lost(lost);
    }
  };
  follow.on_found = [&view] { view.ShowFound(); };
  const auto ended = argo::FollowWorkflow(workflow, follow, *cluster.client,
                                          [&view](const nlohmann::json& now) {
                                            view.Show(now);
                                            return CheckOutput();
                                          });
  view.Finish();
  if (ended.ok()) return ExitCodeOfWorkflow(*ended);
  return NoteThatItGoesOn(ended.status(), argo::WorkflowName(workflow));
}

int WatchCommand(const Arguments& arguments) {
  ClusterFlags cluster_flags;
  FlagSet flags(
      "watch NAME|@latest [flags]",
      "Shows the graph of a workflow of the cluster, live, until it has "
      "finished; Ctrl-C\nleaves it running.\nExit status: 0 it succeeded, 1 it "
      "failed, 3 no such workflow, 75 the cluster is\nnot reached, 130 "
      "interrupted.",
      "rekindle watch @latest -n argo");
  cluster_flags.Bind(flags);
  return RunWorkflowCommand(
      {flags, cluster_flags, 1,
       [&](Cluster& cluster, const nlohmann::json& workflow,
           const std::vector<std::string>&) {
         return FollowInView(workflow, cluster);
       }},
      arguments);
}

}  // namespace rekindle
