// Internal to operator/engine/engine.
#ifndef REKINDLE_OPERATOR_ENGINE_FRAME_H_
#define REKINDLE_OPERATOR_ENGINE_FRAME_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator/engine/call.h"
#include "operator/engine/engine.h"
#include "operator/engine/hooks.h"
#include "operator/engine/local_scope.h"

namespace rekindle::argo {

// What the engine knows of a node that is under way. Advance() is called when
// something below it changed and does whatever follows from that.
class Frame {
 public:
  virtual ~Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  virtual void Advance() = 0;

  Node& node() { return *node_; }
  bool queued = false;

 protected:
  Frame(Engine& engine, Call call, Node* node)
      : engine_(engine), call_(std::move(call)), node_(node) {}

  // Changes the node's phase and tells the parent.
  void SetPhase(Phase phase);
  void SetPhase(Phase phase, std::string message);

  const Template& rendered() const { return *call_.rendered; }

  Engine& engine_;
  Call call_;
  Node* node_;  // owned by the tree
};

// A container or script template.
class PodFrame : public Frame {
 public:
  PodFrame(Engine& engine, Call call, Node* node);
  void Advance() override;

  void Started();
  void Ended(PodResult result);
  bool on_exit() const { return call_.on_exit; }
  // Asks for its end, once; `message` will be the node's.
  void Kill(const std::string& message);
  absl::Time deadline() const { return deadline_; }

 private:
  absl::Time deadline_ = absl::InfiniteFuture();  // by the template's own wish
  std::string kill_message_;
};

class SuspendFrame : public Frame {
 public:
  SuspendFrame(Engine& engine, Call call, Node* node);
  void Advance() override;
  void Resume();

 private:
  absl::Time until_ = absl::InfiniteFuture();
};

// The attempts of a template with a retryStrategy.
class RetryFrame : public Frame {
 public:
  RetryFrame(Engine& engine, Call call, Node* node, RetryStrategy strategy);
  void Advance() override;

 private:
  void StartAttempt(const Node* last);
  // What follows from a failed attempt: the end of it all, a wait, or nothing.
  absl::Status AfterFailure(const Node& last, size_t attempts);
  // False while the back-off lasts or when it has ended the retries.
  absl::StatusOr<bool> PastBackoff(const Node& last, size_t attempts);
  absl::StatusOr<bool> MayRetry(const Node& last, size_t attempts);
  void End(const Node& last, std::string message);
  Scope LastRetry(const Node& last, size_t attempts) const;

  const RetryStrategy strategy_;
};

// One use of a template inside a boundary.
struct Child {
  Step step;
  std::string node_name;
  Node* node = nullptr;  // null while it waits for its turn
  std::unique_ptr<Hooks> hooks;
  bool misused = false;  // its template or arguments are wrong

  bool fulfilled() const { return node != nullptr && node->fulfilled(); }
};

// `steps` and `dag`: what other nodes run inside of.
class BoundaryFrame : public Frame {
 public:
  const Template& definition() const { return *call_.definition; }
  const Template& rendered_template() const { return rendered(); }

  int active_children = 0;  // pods, steps and DAGs
  int active_pods = 0;
  int failed_children = 0;

  // The one this is inside of, or null.
  BoundaryFrame* outer() const { return call_.boundary; }

  // The template's failFast: nothing more is to start here.
  bool FailedFast() const;
  void FailFast();

 protected:
  BoundaryFrame(Engine& engine, Call call, Node* node, std::string prefix);

  // A node that will not run.
  Node& AddSkipped(const std::string& name, const Step& step, Phase phase,
                   std::string message);
  // `step` with its tags replaced; hooks are left for later.
  absl::StatusOr<Step> Resolve(const Step& step, const Scope& scope) const;
  // Whether `when`, as far as it can be replaced, forbids the step; a condition
  // that needs an item is decided later.
  absl::StatusOr<bool> IsForbidden(Step& step, const Scope& scope) const;
  // The artifacts of a resolved step's arguments.
  absl::Status ResolveArtifacts(Step& step, const LocalScope& scope) const;
  // The steps that the items of a resolved step make.
  absl::StatusOr<std::vector<std::pair<std::string, Step>>> Expand(
      const Step& step, bool forbidden) const;
  // Runs a child; `connect` gets its node.
  void Run(Child& child, std::function<void(Node&)> connect);
  // Ends the node with the template's outputs; with an error if one of them has
  // no value in `scope`.
  void Succeed(const LocalScope& scope);
  // The template of a step that was skipped, for the defaults of its outputs.
  void AddSkippedOutputs(const Step& step, const Node& node, LocalScope& scope,
                         bool with_artifacts) const;
  LocalScope NewScope() const;
  virtual void MarkLeafGroup(const std::string&) {}

  const std::string prefix_;  // "steps", "tasks"

 private:
  absl::StatusOr<NodeOutputs> OutputsFrom(const LocalScope& scope) const;
};

class StepsFrame : public BoundaryFrame {
 public:
  StepsFrame(Engine& engine, Call call, Node* node);
  void Advance() override;

 private:
  void BeginGroup();
  absl::Status StartGroup();
  absl::Status StartStep(const Step& step, const Scope& values);
  void StartItem(const std::string& name, Step step);
  // True when the group has ended well and its successor may begin.
  bool AdvanceGroup();
  absl::StatusOr<bool> GroupSettled();
  absl::Status AddGroupToScope();
  void FailGroup(Phase phase, std::string message);
  void FinishSteps();
  void SetOutbound();
  void MarkLeafGroup(const std::string& message) override;

  size_t index_ = 0;
  Node* group_ = nullptr;
  std::vector<std::unique_ptr<Child>> children_;  // of the group
  LocalScope scope_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_FRAME_H_
