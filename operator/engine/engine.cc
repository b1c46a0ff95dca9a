#include "operator/engine/engine.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "operator/engine/dag_frame.h"
#include "operator/engine/frame.h"
#include "operator/engine/global_scope.h"
#include "operator/engine/workflow_frame.h"
#include "operator/pods/pod_limits.h"

namespace rekindle::argo {
namespace {

// Argo's limit of templates within templates.
constexpr int kMaxDepth = 100;

NodeType TypeOf(TemplateKind kind) {
  switch (kind) {
    case TemplateKind::kSteps:
      return NodeType::kSteps;
    case TemplateKind::kDag:
      return NodeType::kDag;
    case TemplateKind::kSuspend:
      return NodeType::kSuspend;
    default:
      return NodeType::kPod;
  }
}

bool IsCounted(NodeType type) {
  return type == NodeType::kPod || type == NodeType::kSteps ||
         type == NodeType::kDag;
}

std::string ScopeName(const Workflow& owner, const RunInfo& info) {
  switch (owner.kind) {
    case WorkflowKind::kWorkflowTemplate:
      return absl::StrCat("namespaced/", owner.name);
    case WorkflowKind::kClusterWorkflowTemplate:
      return absl::StrCat("cluster/", owner.name);
    default:
      return absl::StrCat("local/", info.name);
  }
}

}  // namespace

Engine::Engine(const Workflow& workflow, const TemplateLibrary& library,
               RunInfo info)
    : workflow_(workflow),
      library_(library),
      info_(std::move(info)),
      tree_(info_.name),
      globals_(GlobalScope(workflow, info_)) {
  frames_.push_back(std::make_unique<WorkflowFrame>(*this));
  root_ = static_cast<WorkflowFrame*>(frames_.back().get());
}

Engine::~Engine() = default;

Decision Engine::Decide(absl::Time now) {
  now_ = now;
  wake_ = absl::InfiniteFuture();
  if (started_at_ == absl::InfiniteFuture()) {
    started_at_ = now;
    if (workflow_.spec.active_deadline_seconds.has_value()) {
      deadline_ = now + absl::Seconds(*workflow_.spec.active_deadline_seconds);
    }
  }
  Queue(root_);
  // Frames that wait for a time look at the clock here.
  for (const auto& [id, pod] : pods_) {
    if (pod->deadline() != absl::InfiniteFuture()) Queue(pod);
  }
  for (const auto& [id, suspended] : suspended_) Queue(suspended);
  for (Frame* frame : std::exchange(sleeping_, {})) Queue(frame);
  do {
    while (!queue_.empty()) {
      Frame* frame = queue_.front();
      queue_.pop_front();
      frame->queued = false;
      frame->Advance();
    }
    StartWaiting();
  } while (!queue_.empty());
  KillWhatMustEnd();
  Decision decision = std::exchange(decision_, {});
  decision.wake = std::min(wake_, done_ ? absl::InfiniteFuture() : deadline_);
  if (PastDeadline()) decision.wake = wake_;
  return decision;
}

void Engine::Queue(Frame* frame) {
  if (frame == nullptr || frame->queued) return;
  frame->queued = true;
  queue_.push_back(frame);
}

void Engine::Place(Call call) {
  if (!TryStart(call)) waiting_.push_back(std::move(call));
}

void Engine::StartWaiting() {
  std::deque<Call> again = std::exchange(waiting_, {});
  for (Call& call : again) {
    if (!TryStart(call)) waiting_.push_back(std::move(call));
  }
}

bool Engine::TryStart(Call& call) {
  if (!call.prepared) {
    const absl::Status prepared = Prepare(call);
    if (!prepared.ok()) {
      Node& node = AddErrorNode(call, std::string(prepared.message()));
      call.on_node(node);
      Queue(call.parent);
      return true;
    }
  }
  if (call.boundary != nullptr && call.boundary->node().fulfilled()) {
    return true;  // It ended without this one.
  }
  if (!MayStart(call)) return false;
  Frame* parent = call.parent;
  auto on_node = std::move(call.on_node);
  on_node(StartFrame(std::move(call), /*retried=*/false));
  Queue(parent);
  return true;
}

absl::Status Engine::Prepare(Call& call) {
  int depth = 0;
  for (BoundaryFrame* at = call.boundary; at != nullptr; at = at->outer()) {
    if (++depth >= kMaxDepth) {
      return absl::FailedPreconditionError("Maximum recursion depth exceeded");
    }
  }
  absl::StatusOr<TemplateLibrary::Found> found =
      library_.Resolve(call.step, *call.owner);
  RK_RETURN_IF_ERROR(found.status());
  call.template_owner = found->owner;
  call.definition = found->definition;
  Scope scope = globals_;
  scope["node.name"] = call.node_name;
  if (call.kind == "steps") scope["steps.name"] = call.step.name;
  if (call.kind == "tasks") scope["tasks.name"] = call.step.name;
  const bool retries = call.definition->retry_strategy.has_value() ||
                       workflow_.spec.retry_strategy.has_value();
  if (!retries) {
    scope["pod.name"] =
        PodName(info_.name, call.node_name, call.definition->name,
                tree_.IdOf(call.node_name));
  }
  RK_ASSIGN_OR_RETURN(
      Template rendered,
      RenderTemplate(*call.definition, call.step.arguments, scope));
  RK_RETURN_IF_ERROR(CheckRunsHere(rendered, {}));
  call.rendered = std::make_shared<const Template>(std::move(rendered));
  call.prepared = true;
  return absl::OkStatus();
}

bool Engine::MayStart(const Call& call) {
  if (workflow_.spec.parallelism.has_value() &&
      active_pods_ >= *workflow_.spec.parallelism) {
    return false;
  }
  BoundaryFrame* boundary = call.boundary;
  if (boundary == nullptr) return true;
  if (boundary->FailedFast()) {
    if (boundary->active_pods == 0) boundary->FailFast();
    return false;
  }
  const auto limit = boundary->rendered_template().parallelism;
  return !limit.has_value() || *limit <= 0 ||
         boundary->active_children < *limit;
}

Node& Engine::AddErrorNode(const Call& call, const std::string& message) {
  Node node;
  node.name = call.node_name;
  node.type = NodeType::kSkipped;
  node.template_name = call.step.template_name;
  node.template_ref = call.step.template_ref;
  node.template_scope = ScopeName(*call.owner, info_);
  if (call.boundary != nullptr) node.boundary_id = call.boundary->node().id;
  node.phase = Phase::kError;
  node.message = message;
  node.started_at = now_;
  node.hooked = call.hooked;
  return tree_.Add(std::move(node));
}

Node& Engine::StartFrame(Call call, bool retried) {
  const TemplateKind kind = call.rendered->kind();
  const auto& strategy = call.rendered->retry_strategy.has_value()
                             ? call.rendered->retry_strategy
                             : workflow_.spec.retry_strategy;
  const bool retry = strategy.has_value() && !retried;
  Node made;
  made.name = call.node_name;
  made.type = retry ? NodeType::kRetry : TypeOf(kind);
  made.template_name = call.step.template_name;
  made.template_ref = call.step.template_ref;
  made.template_scope = ScopeName(*call.owner, info_);
  if (call.boundary != nullptr) made.boundary_id = call.boundary->node().id;
  made.phase = made.type == NodeType::kPod || made.type == NodeType::kSuspend
                   ? Phase::kPending
                   : Phase::kRunning;
  made.started_at = now_;
  made.hooked = call.hooked;
  made.retried = retried;
  const Inputs& inputs = call.rendered->inputs;
  if (!inputs.parameters.empty() || !inputs.artifacts.empty()) {
    made.inputs = inputs;
  }
  Node& node = tree_.Add(std::move(made));
  Count(node, 1);
  std::unique_ptr<Frame> frame;
  if (retry) {
    frame =
        std::make_unique<RetryFrame>(*this, std::move(call), &node, *strategy);
  } else if (kind == TemplateKind::kSteps) {
    auto steps = std::make_unique<StepsFrame>(*this, std::move(call), &node);
    boundaries_[node.id] = steps.get();
    frame = std::move(steps);
  } else if (kind == TemplateKind::kDag) {
    auto dag = std::make_unique<DagFrame>(*this, std::move(call), &node);
    boundaries_[node.id] = dag.get();
    frame = std::move(dag);
  } else if (kind == TemplateKind::kSuspend) {
    frame = std::make_unique<SuspendFrame>(*this, std::move(call), &node);
  } else {
    frame = std::make_unique<PodFrame>(*this, std::move(call), &node);
  }
  Queue(frame.get());
  frames_.push_back(std::move(frame));
  return node;
}

void Engine::StartAttempt(Call call, Node& retry) {
  tree_.AddChild(retry, StartFrame(std::move(call), /*retried=*/true));
}

void Engine::Count(const Node& node, int change) {
  if (!IsCounted(node.type)) return;
  if (node.type == NodeType::kPod) active_pods_ += change;
  const auto found = boundaries_.find(node.boundary_id);
  if (found == boundaries_.end()) return;
  BoundaryFrame& boundary = *found->second;
  boundary.active_children += change;
  if (node.type == NodeType::kPod) boundary.active_pods += change;
  if (IsFailure(node.phase)) ++boundary.failed_children;
}

void Engine::SetPhase(Node& node, Phase phase) {
  const bool was_fulfilled = node.fulfilled();
  tree_.SetPhase(node, phase, now_);
  if (!was_fulfilled && node.fulfilled()) Count(node, -1);
}

void Engine::SetPhase(Node& node, Phase phase, std::string message) {
  node.message = std::move(message);
  SetPhase(node, phase);
}

void Engine::AddGlobalOutputs(const NodeOutputs& outputs) {
  const auto put = [](auto& list, auto value) {
    value.name = std::exchange(value.global_name, "");
    for (auto& had : list) {
      if (had.name == value.name) {
        had = std::move(value);
        return;
      }
    }
    list.push_back(std::move(value));
  };
  for (const Parameter& parameter : outputs.parameters) {
    if (parameter.global_name.empty()) continue;
    globals_[absl::StrCat("workflow.outputs.parameters.",
                          parameter.global_name)] =
        parameter.value.value_or("");
    put(outputs_.parameters, parameter);
  }
  for (const Artifact& artifact : outputs.artifacts) {
    if (!artifact.global_name.empty()) put(outputs_.artifacts, artifact);
  }
}

const std::string& Engine::SourceText(const Template& definition) {
  std::string& text = source_texts_[&definition];
  if (text.empty() && definition.source != nullptr) {
    text = ToJson(*definition.source)
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return text;
}

void Engine::PodStarted(const std::string& node_id, absl::Time now) {
  now_ = now;
  const auto found = pods_.find(node_id);
  if (found != pods_.end()) found->second->Started();
}

void Engine::PodProgressed(const std::string& node_id,
                           const std::string& progress) {
  Node* node = tree_.FindId(node_id);
  if (node != nullptr) node->progress = progress;
}

void Engine::PodEnded(const std::string& node_id, PodResult result,
                      absl::Time now) {
  now_ = now;
  const auto found = pods_.find(node_id);
  if (found == pods_.end()) return;
  PodFrame* pod = found->second;
  pods_.erase(found);
  pod->Ended(std::move(result));
}

void Engine::Resume(const std::string& node_id, absl::Time now) {
  now_ = now;
  const auto found = suspended_.find(node_id);
  if (found != suspended_.end()) found->second->Resume();
}

void Engine::Stop(Shutdown how) { shutdown_ = how; }

void Engine::KillWhatMustEnd() {
  for (const auto& [id, pod] : pods_) {
    if (!MayRun(pod->on_exit())) {
      pod->Kill(
          absl::StrCat("workflow shutdown with strategy:  ",
                       shutdown_ == Shutdown::kStop ? "Stop" : "Terminate"));
    } else if (PastDeadline() && !pod->on_exit()) {
      pod->Kill("Step exceeded its deadline");
    }
  }
}

void Engine::Finish(Phase phase, std::string message) {
  done_ = true;
  phase_ = phase;
  message_ = std::move(message);
  finished_at_ = now_;
}

}  // namespace rekindle::argo
