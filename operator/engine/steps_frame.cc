#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/engine/frame.h"
#include "operator/expression/condition.h"

namespace rekindle::argo {

StepsFrame::StepsFrame(Engine& engine, Call call, Node* node)
    : BoundaryFrame(engine, std::move(call), node, "steps"),
      scope_(NewScope()) {}

void StepsFrame::Advance() {
  if (node_->fulfilled()) return;
  while (index_ < rendered().steps.size()) {
    if (group_ == nullptr) BeginGroup();
    if (!AdvanceGroup()) return;
    const absl::Status added = AddGroupToScope();
    if (!added.ok())
      return FailGroup(Phase::kError, std::string(added.message()));
    group_ = nullptr;
    ++index_;
  }
  FinishSteps();
}

// The node of the group, behind those of the group before it.
void StepsFrame::BeginGroup() {
  Node node;
  node.name = absl::StrCat(node_->name, "[", index_, "]");
  node.type = NodeType::kStepGroup;
  node.template_scope = node_->template_scope;
  node.boundary_id = node_->id;
  node.phase = Phase::kRunning;
  node.started_at = engine_.now_;
  Node* previous =
      index_ == 0
          ? nullptr
          : engine_.tree_.Find(absl::StrCat(node_->name, "[", index_ - 1, "]"));
  group_ = &engine_.tree_.Add(std::move(node));
  children_.clear();
  if (previous == nullptr) {
    engine_.tree_.AddChild(*node_, *group_);
  } else if (previous->children.empty()) {
    engine_.tree_.AddChild(*previous, *group_);
  } else {
    for (const std::string& child : previous->children) {
      for (const std::string& id :
           engine_.tree_.OutboundNodes(*engine_.tree_.FindId(child))) {
        engine_.tree_.AddChild(*engine_.tree_.FindId(id), *group_);
      }
    }
  }
  const absl::Status started = StartGroup();
  if (!started.ok()) {
    engine_.SetPhase(*group_, Phase::kError, std::string(started.message()));
  }
}

absl::Status StepsFrame::StartGroup() {
  const Scope values = scope_.Over(engine_.globals_);
  for (const Step& step : rendered().steps[index_].steps) {
    RK_RETURN_IF_ERROR(StartStep(step, values));
  }
  return absl::OkStatus();
}

absl::Status StepsFrame::StartStep(const Step& step, const Scope& values) {
  Step resolved = step;
  RK_ASSIGN_OR_RETURN(const bool forbidden, IsForbidden(resolved, values));
  if (!forbidden) {
    RK_ASSIGN_OR_RETURN(resolved, Resolve(step, values));
  }
  if (!resolved.Expands()) {
    RK_RETURN_IF_ERROR(ResolveArtifacts(resolved, scope_));
    StartItem(step.name, std::move(resolved));
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(auto items, Expand(resolved, forbidden));
  if (items.empty()) {
    Node& node = AddSkipped(absl::StrCat(group_->name, ".", step.name), step,
                            Phase::kSkipped, "Skipped, empty params");
    engine_.tree_.AddChild(*group_, node);
  }
  for (auto& [name, item] : items) {
    if (forbidden) item.when = resolved.when;
    RK_RETURN_IF_ERROR(ResolveArtifacts(item, scope_));
    StartItem(name, std::move(item));
  }
  return absl::OkStatus();
}

void StepsFrame::StartItem(const std::string& name, Step step) {
  auto owned = std::make_unique<Child>();
  Child& child = *owned;
  child.node_name = absl::StrCat(group_->name, ".", name);
  child.step = std::move(step);
  children_.push_back(std::move(owned));
  const absl::StatusOr<bool> proceed = EvaluateWhen(child.step.when);
  if (!proceed.ok() || !*proceed) {
    child.node = &AddSkipped(
        child.node_name, child.step,
        proceed.ok() ? Phase::kSkipped : Phase::kError,
        proceed.ok()
            ? absl::StrCat("when '", child.step.when, "' evaluated false")
            : std::string(proceed.status().message()));
    child.misused = !proceed.ok();
    engine_.tree_.AddChild(*group_, *child.node);
    return;
  }
  child.hooks = std::make_unique<Hooks>(
      engine_,
      Hooks::Place{this, this, call_.template_owner, prefix_, child.step.name},
      child.step.hooks, child.step.on_exit);
  Node* group = group_;
  Run(child,
      [this, group](Node& node) { engine_.tree_.AddChild(*group, node); });
}

absl::StatusOr<bool> StepsFrame::GroupSettled() {
  bool settled = true;
  for (const auto& child : children_) {
    if (child->node == nullptr) {
      settled = false;
      continue;
    }
    if (child->hooks != nullptr && !child->hooks->empty()) {
      LocalScope scope = scope_;
      scope.values[absl::StrCat("steps.", child->node->display_name,
                                ".status")] = PhaseName(child->node->phase);
      RK_ASSIGN_OR_RETURN(const bool quiet,
                          child->hooks->Advance(*child->node, scope));
      if (!quiet) settled = false;
    }
    if (!child->fulfilled()) settled = false;
  }
  return settled;
}

bool StepsFrame::AdvanceGroup() {
  if (group_->phase == Phase::kError) {
    FailGroup(Phase::kError, group_->message);
    return false;
  }
  const absl::StatusOr<bool> settled = GroupSettled();
  if (!settled.ok()) {
    FailGroup(Phase::kError, std::string(settled.status().message()));
    return false;
  }
  if (!*settled) return false;
  for (const auto& child : children_) {
    const Node& node = *child->node;
    if (!IsFailure(node.phase)) continue;
    if (child->misused) {
      FailGroup(Phase::kError,
                absl::StrCat("step group deemed errored due to child ",
                             node.name, " error: ", node.message));
      return false;
    }
    const ContinueOn continues = child->step.continue_on.value_or(ContinueOn{});
    if (node.phase == Phase::kFailed ? continues.failed : continues.error) {
      continue;
    }
    FailGroup(Phase::kFailed, absl::StrCat("child '", node.id, "' failed"));
    return false;
  }
  engine_.SetPhase(*group_, Phase::kSucceeded);
  return true;
}

absl::Status StepsFrame::AddGroupToScope() {
  for (const Step& step : rendered().steps[index_].steps) {
    const std::string name = absl::StrCat(group_->name, ".", step.name);
    const Node* node = engine_.tree_.Find(name);
    if (node != nullptr) {
      scope_.AddNode(prefix_, step.name, *node, engine_.tree_);
      AddSkippedOutputs(step, *node, scope_, /*with_artifacts=*/true);
      continue;
    }
    std::vector<const Node*> items;
    for (const auto& child : children_) {
      if (child->step.name == step.name &&
          child->node->type != NodeType::kSkipped) {
        items.push_back(child->node);
      }
    }
    if (!items.empty()) {
      RK_RETURN_IF_ERROR(scope_.AddItems(prefix_, step.name, items));
    }
    scope_.AddNode(prefix_, step.name, *group_, engine_.tree_);
  }
  for (const Parameter& parameter : engine_.outputs_.parameters) {
    scope_
        .values[absl::StrCat("workflow.outputs.parameters.", parameter.name)] =
        parameter.value.value_or("");
  }
  for (const Artifact& artifact : engine_.outputs_.artifacts) {
    scope_
        .artifacts[absl::StrCat("workflow.outputs.artifacts.", artifact.name)] =
        artifact;
  }
  return absl::OkStatus();
}

void StepsFrame::SetOutbound() {
  const Node* last = nullptr;
  for (size_t i = 0; i <= index_; ++i) {
    const Node* group =
        engine_.tree_.Find(absl::StrCat(node_->name, "[", i, "]"));
    if (group != nullptr) last = group;
  }
  if (last == nullptr) return;
  node_->outbound_nodes.clear();
  for (const std::string& child : last->children) {
    for (const std::string& id :
         engine_.tree_.OutboundNodes(*engine_.tree_.FindId(child))) {
      node_->outbound_nodes.push_back(id);
    }
  }
}

void StepsFrame::FailGroup(Phase phase, std::string message) {
  engine_.SetPhase(*group_, phase, message);
  SetOutbound();
  SetPhase(Phase::kFailed, std::move(message));
}

void StepsFrame::MarkLeafGroup(const std::string& message) {
  if (group_ != nullptr) engine_.SetPhase(*group_, Phase::kFailed, message);
}

void StepsFrame::FinishSteps() {
  SetOutbound();
  Succeed(scope_);
}

}  // namespace rekindle::argo
