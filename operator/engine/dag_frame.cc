#include "operator/engine/dag_frame.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "operator/expression/condition.h"

namespace rekindle::argo {

DagFrame::DagFrame(Engine& engine, Call call, Node* node)
    : BoundaryFrame(engine, std::move(call), node, "tasks") {}

absl::Status DagFrame::Prepare() {
  const Dag& dag = *rendered().dag;
  tasks_.resize(dag.tasks.size());
  for (size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = tasks_[i];
    task.step = &dag.tasks[i];
    RK_ASSIGN_OR_RETURN(task.depends, Depends::Parse(*task.step, dag));
    task.ancestors = Ancestors(dag, task.step->name);
    by_name_[task.step->name] = &task;
  }
  targets_ = Targets();
  for (const std::string& target : targets_) Want(target);
  return absl::OkStatus();
}

std::vector<std::string> DagFrame::Targets() const {
  const std::string& named = rendered().dag->target;
  if (!named.empty()) {
    return absl::StrSplit(named, ' ', absl::SkipEmpty());
  }
  std::set<std::string> leaves;
  for (const Task& task : tasks_) leaves.insert(task.step->name);
  for (const Task& task : tasks_) {
    for (const std::string& name : task.depends->tasks()) leaves.erase(name);
  }
  return {leaves.begin(), leaves.end()};
}

void DagFrame::Want(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  found->second->wanted = true;
  for (const std::string& ancestor : found->second->ancestors) {
    const auto of = by_name_.find(ancestor);
    if (of != by_name_.end()) of->second->wanted = true;
  }
}

std::string DagFrame::NodeName(const std::string& task) const {
  return absl::StrCat(node_->name, ".", task);
}

void DagFrame::Advance() {
  if (node_->fulfilled()) return;
  if (!ready_) {
    ready_ = true;
    const absl::Status prepared = Prepare();
    if (!prepared.ok()) {
      return SetPhase(Phase::kError, std::string(prepared.message()));
    }
  }
  bool quiet = true;
  bool began = true;
  while (began) {
    began = false;
    quiet = true;
    for (Task& task : tasks_) {
      if (!task.wanted) continue;
      if (!task.begun && TryBegin(task)) began = true;
      if (task.begun && !AdvanceTask(task)) quiet = false;
      if (node_->fulfilled()) return;
    }
  }
  if (quiet) Finish();
}

bool DagFrame::Settled(const Task& task) const {
  if (task.node == nullptr || !task.node->fulfilled()) return false;
  const auto hooks_ended = [this](const Node& node) {
    return std::all_of(node.children.begin(), node.children.end(),
                       [this](const std::string& id) {
                         const Node* child = engine_.tree_.FindId(id);
                         return !child->hooked || child->fulfilled();
                       });
  };
  return hooks_ended(*task.node) &&
         std::all_of(task.children.begin(), task.children.end(),
                     [&](const auto& child) {
                       return child->fulfilled() && hooks_ended(*child->node);
                     });
}

absl::StatusOr<bool> DagFrame::ShouldRun(const Task& task) const {
  std::map<std::string, TaskResult> results;
  for (const std::string& name : task.depends->tasks()) {
    const Task& other = *by_name_.at(name);
    TaskResult& result = results[name];
    const Phase phase = other.node->phase;
    result.succeeded = phase == Phase::kSucceeded;
    result.failed = phase == Phase::kFailed;
    result.errored = phase == Phase::kError;
    result.skipped = phase == Phase::kSkipped;
    result.omitted = phase == Phase::kOmitted;
    if (other.node->type != NodeType::kTaskGroup) continue;
    result.all_failed = !other.children.empty();
    for (const auto& child : other.children) {
      const Phase of = child->node->phase;
      result.any_succeeded |= of == Phase::kSucceeded;
      result.all_failed &= of == Phase::kFailed;
    }
  }
  return task.depends->Evaluate(results);
}

bool DagFrame::TryBegin(Task& task) {
  for (const std::string& name : task.depends->tasks()) {
    const auto other = by_name_.find(name);
    if (other == by_name_.end() || !Settled(*other->second)) return false;
  }
  Begin(task);
  return true;
}

void DagFrame::Begin(Task& task) {
  task.begun = true;
  if (!task.depends->tasks().empty()) {
    const absl::StatusOr<bool> run = ShouldRun(task);
    if (!run.ok()) {
      return EndWithError(task, std::string(run.status().message()));
    }
    if (!*run) {
      task.node =
          &AddSkipped(NodeName(task.step->name), *task.step, Phase::kOmitted,
                      "omitted: depends condition not met");
      return Connect(task, *task.node);
    }
  }
  const absl::Status started = Start(task);
  if (!started.ok()) EndWithError(task, std::string(started.message()));
}

void DagFrame::EndWithError(Task& task, const std::string& message) {
  if (task.node != nullptr) {
    return engine_.SetPhase(*task.node, Phase::kError, message);
  }
  task.node = &AddSkipped(NodeName(task.step->name), *task.step, Phase::kError,
                          message);
  Connect(task, *task.node);
}

absl::Status DagFrame::Start(Task& task) {
  RK_ASSIGN_OR_RETURN(const LocalScope scope, ScopeOf(task.ancestors));
  const Scope values = scope.Over(engine_.globals_);
  Step resolved = *task.step;
  RK_ASSIGN_OR_RETURN(const bool forbidden, IsForbidden(resolved, values));
  if (!forbidden) {
    RK_ASSIGN_OR_RETURN(resolved, Resolve(*task.step, values));
  }
  task.expands = task.step->Expands();
  if (task.expands) return StartItems(task, resolved, forbidden, scope);
  if (!forbidden) RK_RETURN_IF_ERROR(ResolveArtifacts(resolved, scope));
  StartChild(task, task.step->name, std::move(resolved));
  return absl::OkStatus();
}

absl::Status DagFrame::StartItems(Task& task, const Step& resolved,
                                  bool forbidden, const LocalScope& scope) {
  RK_ASSIGN_OR_RETURN(auto items, Expand(resolved, forbidden));
  const std::string name = NodeName(task.step->name);
  if (items.empty()) {
    task.node =
        &AddSkipped(name, *task.step, Phase::kSkipped, "Skipped, empty params");
    Connect(task, *task.node);
    return absl::OkStatus();
  }
  Node group;
  group.name = name;
  group.type = NodeType::kTaskGroup;
  group.template_name = task.step->template_name;
  group.template_ref = task.step->template_ref;
  group.template_scope = node_->template_scope;
  group.boundary_id = node_->id;
  group.phase = Phase::kRunning;
  group.started_at = engine_.now_;
  task.node = &engine_.tree_.Add(std::move(group));
  Connect(task, *task.node);
  task.group_hooks = std::make_unique<Hooks>(
      engine_,
      Hooks::Place{this, this, call_.template_owner, prefix_, task.step->name},
      task.step->hooks, task.step->on_exit);
  for (auto& [item_name, item] : items) {
    if (forbidden) {
      item.when = resolved.when;
    } else {
      RK_RETURN_IF_ERROR(ResolveArtifacts(item, scope));
    }
    StartChild(task, item_name, std::move(item));
  }
  return absl::OkStatus();
}

void DagFrame::StartChild(Task& task, const std::string& name, Step step) {
  auto owned = std::make_unique<Child>();
  Child& child = *owned;
  child.node_name = NodeName(name);
  child.step = std::move(step);
  task.children.push_back(std::move(owned));
  const absl::StatusOr<bool> proceed = EvaluateWhen(child.step.when);
  const auto connect = [this, &task](Node& node) {
    if (task.expands) {
      engine_.tree_.AddChild(*task.node, node);
    } else {
      task.node = &node;
      Connect(task, node);
    }
  };
  if (!proceed.ok() || !*proceed) {
    child.node = &AddSkipped(
        child.node_name, child.step,
        proceed.ok() ? Phase::kSkipped : Phase::kError,
        proceed.ok()
            ? absl::StrCat("when '", child.step.when, "' evaluated false")
            : std::string(proceed.status().message()));
    return connect(*child.node);
  }
  child.hooks = std::make_unique<Hooks>(
      engine_,
      Hooks::Place{this, this, call_.template_owner, prefix_, child.step.name},
      // The hooks of a group of items belong to the group; each item has the
      // exit handler, too.
      task.expands ? std::vector<LifecycleHook>() : child.step.hooks,
      child.step.on_exit);
  Run(child, connect);
}

// Draws a node behind what it waited for.
void DagFrame::Connect(const Task& task, Node& node) {
  if (task.depends->tasks().empty()) {
    return engine_.tree_.AddChild(*node_, node);
  }
  for (const std::string& name : task.depends->tasks()) {
    for (const std::string& id :
         engine_.tree_.OutboundNodes(*by_name_.at(name)->node)) {
      engine_.tree_.AddChild(*engine_.tree_.FindId(id), node);
    }
  }
}

bool DagFrame::AdvanceTask(Task& task) {
  const auto advance = [&](Hooks* hooks, Node* node) {
    if (hooks == nullptr || hooks->empty() || node == nullptr) return true;
    absl::StatusOr<LocalScope> scope = ScopeOf(task.ancestors);
    if (!scope.ok()) return true;
    scope->values[absl::StrCat("tasks.", task.step->name, ".status")] =
        PhaseName(node->phase);
    const absl::StatusOr<bool> quiet = hooks->Advance(*node, *scope);
    if (quiet.ok()) return *quiet;
    engine_.SetPhase(*node, Phase::kError,
                     std::string(quiet.status().message()));
    return true;
  };
  bool quiet = task.node != nullptr || !task.children.empty();
  for (const auto& child : task.children) {
    if (!child->fulfilled()) quiet = false;
    if (!advance(child->hooks.get(), child->node)) quiet = false;
  }
  if (quiet && task.expands && !task.node->fulfilled()) EndGroup(task);
  if (!advance(task.group_hooks.get(), task.node)) quiet = false;
  return quiet;
}

void DagFrame::EndGroup(Task& task) {
  Phase phase = Phase::kSucceeded;
  for (const auto& child : task.children) {
    if (IsFailure(child->node->phase)) phase = child->node->phase;
  }
  engine_.SetPhase(*task.node, phase);
}

absl::Status DagFrame::AddTask(const Task& task, LocalScope& scope) const {
  if (task.node == nullptr) return absl::OkStatus();
  if (task.node->type == NodeType::kTaskGroup) {
    std::vector<const Node*> items;
    for (const auto& child : task.children) items.push_back(child->node);
    RK_RETURN_IF_ERROR(scope.AddItems(prefix_, task.step->name, items));
  }
  scope.AddNode(prefix_, task.step->name, *task.node, engine_.tree_);
  AddSkippedOutputs(*task.step, *task.node, scope, /*with_artifacts=*/false);
  return absl::OkStatus();
}

absl::StatusOr<LocalScope> DagFrame::ScopeOf(
    const std::vector<std::string>& tasks) const {
  LocalScope scope = NewScope();
  for (const std::string& name : tasks) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) continue;
    RK_RETURN_IF_ERROR(AddTask(*found->second, scope));
  }
  return scope;
}

// As Argo: a branch has the phase of the last node on it that ran, so that a
// failure is seen through what was omitted behind it.
Phase DagFrame::Assess() const {
  std::map<std::string, std::optional<Phase>> of_target;
  for (const std::string& name : targets_) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second->node == nullptr) continue;
    of_target[found->second->node->id] = std::nullopt;
  }
  std::deque<std::pair<std::string, Phase>> queue;
  std::set<std::pair<std::string, Phase>> seen;
  const auto add = [&](const std::vector<std::string>& ids, Phase phase) {
    for (const std::string& id : ids) {
      if (seen.insert({id, phase}).second) queue.emplace_back(id, phase);
    }
  };
  add(node_->children, Phase::kSucceeded);
  for (; !queue.empty(); queue.pop_front()) {
    const Node& node = *engine_.tree_.FindId(queue.front().first);
    const Phase branch =
        IsCompleted(node.phase) ? node.phase : queue.front().second;
    const auto target = of_target.find(node.id);
    if (target != of_target.end() &&
        !(target->second.has_value() && IsFailure(*target->second))) {
      target->second = branch;
    }
    if (node.type != NodeType::kRetry) {
      add(node.children, branch);
      continue;
    }
    for (const std::string& id : node.children) {
      const Node& child = *engine_.tree_.FindId(id);
      if (child.hooked && !child.retried) {
        add({id}, branch);
      } else {
        add(child.children, branch);
      }
    }
  }
  Phase result = Phase::kSucceeded;
  for (const std::string& name : targets_) {
    const Task& task = *by_name_.at(name);
    if (task.node == nullptr) continue;
    const Phase phase = of_target.at(task.node->id).value_or(Phase::kSucceeded);
    if (!IsFailure(phase)) continue;
    const ContinueOn continues = task.step->continue_on.value_or(ContinueOn{});
    if (phase == Phase::kFailed ? continues.failed : continues.error) continue;
    result = phase;
    if (rendered().dag->fail_fast) break;
  }
  return result;
}

void DagFrame::Finish() {
  const Phase phase = Assess();
  node_->outbound_nodes.clear();
  for (const std::string& name : targets_) {
    const Task& task = *by_name_.at(name);
    if (task.node == nullptr) continue;
    for (const std::string& id : engine_.tree_.OutboundNodes(*task.node)) {
      node_->outbound_nodes.push_back(id);
    }
  }
  if (IsFailure(phase)) return SetPhase(phase);
  std::vector<std::string> all;
  for (const Task& task : tasks_) all.push_back(task.step->name);
  const absl::StatusOr<LocalScope> scope = ScopeOf(all);
  if (!scope.ok()) {
    return SetPhase(Phase::kError, std::string(scope.status().message()));
  }
  Succeed(*scope);
}

}  // namespace rekindle::argo
