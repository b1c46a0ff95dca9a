#ifndef REKINDLE_OPERATOR_ENGINE_ENGINE_H_
#define REKINDLE_OPERATOR_ENGINE_ENGINE_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "operator/engine/call.h"
#include "operator/engine/decision.h"
#include "operator/engine/node.h"
#include "operator/engine/node_tree.h"
#include "operator/pods/pod_task.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

class BoundaryFrame;
class Frame;
class PodFrame;
class SuspendFrame;
class WorkflowFrame;

// Which run this is.
struct RunInfo {
  std::string name;  // of the workflow
  std::string uid;
  std::string namespace_name = "default";
  absl::Time created_at;
  Arguments arguments;            // all of the workflow's, with their values
  bool resume_suspended = false;  // a suspend without a duration is no wait
};

// How a run is told to stop: with its exit handlers, or at once.
enum class Shutdown { kNone, kStop, kTerminate };

// Decides what a workflow does next, as Argo's controller does, from what has
// happened so far. It starts nothing and looks at no clock: the caller starts
// the pods it asks for and tells it how they went. Thread-compatible.
class Engine {
 public:
  // `workflow` and `library` are not owned and must outlive the engine.
  Engine(const Workflow& workflow, const TemplateLibrary& library,
         RunInfo info);
  ~Engine();

  // Goes as far as what is known allows.
  Decision Decide(absl::Time now);

  void PodStarted(const std::string& node_id, absl::Time now);
  void PodProgressed(const std::string& node_id, const std::string& progress);
  void PodEnded(const std::string& node_id, PodResult result, absl::Time now);
  // Lets a suspended node without a duration go on.
  void Resume(const std::string& node_id, absl::Time now);
  void Stop(Shutdown how);

  bool done() const { return done_; }
  Phase phase() const { return phase_; }  // of the workflow
  const std::string& message() const { return message_; }
  absl::Time started_at() const { return started_at_; }
  absl::Time finished_at() const { return finished_at_; }
  const NodeTree& tree() const { return tree_; }
  // See NodeTree.
  std::vector<const Node*> TakeChanged() { return tree_.TakeChanged(); }
  const RunInfo& info() const { return info_; }
  // What outputs with a globalName gave to the whole workflow.
  const NodeOutputs& outputs() const { return outputs_; }

 private:
  friend class Frame;
  friend class BoundaryFrame;
  friend class DagFrame;
  friend class Hooks;
  friend class PodFrame;
  friend class RetryFrame;
  friend class StepsFrame;
  friend class SuspendFrame;
  friend class WorkflowFrame;

  // Runs a call, now or when its turn comes.
  void Place(Call call);
  // False while limits forbid it.
  bool TryStart(Call& call);
  // Fills in what is called; an error is the caller's.
  absl::Status Prepare(Call& call);
  bool MayStart(const Call& call);
  // Adds the node of a prepared call and the frame that runs it.
  Node& StartFrame(Call call, bool retried);
  void StartAttempt(Call call, Node& retry);
  void StartWaiting();
  Node& AddErrorNode(const Call& call, const std::string& message);

  void Queue(Frame* frame);
  // Keeps the counts that limits look at.
  void Count(const Node& node, int change);
  void SetPhase(Node& node, Phase phase);
  void SetPhase(Node& node, Phase phase, std::string message);
  void AddGlobalOutputs(const NodeOutputs& outputs);
  void WakeAt(absl::Time time) { wake_ = std::min(wake_, time); }
  bool PastDeadline() const { return now_ >= deadline_; }
  bool MayRun(bool on_exit) const {
    return shutdown_ == Shutdown::kNone ||
           (shutdown_ == Shutdown::kStop && on_exit);
  }
  void Finish(Phase phase, std::string message);
  void KillWhatMustEnd();
  // What the source of `definition` says, for finding references.
  const std::string& SourceText(const Template& definition);

  const Workflow& workflow_;
  const TemplateLibrary& library_;
  const RunInfo info_;
  NodeTree tree_;
  Scope globals_;
  NodeOutputs outputs_;
  absl::Time now_;
  absl::Time started_at_ = absl::InfiniteFuture();
  absl::Time finished_at_ = absl::InfiniteFuture();
  absl::Time deadline_ = absl::InfiniteFuture();
  absl::Time wake_ = absl::InfiniteFuture();
  Shutdown shutdown_ = Shutdown::kNone;
  bool done_ = false;
  Phase phase_ = Phase::kRunning;
  std::string message_;

  std::vector<std::unique_ptr<Frame>> frames_;
  WorkflowFrame* root_ = nullptr;
  std::map<std::string, PodFrame*> pods_;  // by node id, until they end
  std::map<std::string, SuspendFrame*> suspended_;
  std::map<std::string, BoundaryFrame*> boundaries_;  // by node id
  int active_pods_ = 0;
  std::deque<Frame*> queue_;
  std::vector<Frame*> sleeping_;  // look at the clock at the next decision
  std::deque<Call> waiting_;
  Decision decision_;
  std::map<const Template*, std::string> source_texts_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_ENGINE_H_
