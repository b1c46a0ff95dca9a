#include "operator/engine/hooks.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "operator/engine/frame.h"
#include "operator/expression/expression.h"

namespace rekindle::argo {

Hooks::Hooks(Engine& engine, Place place, std::vector<LifecycleHook> hooks,
             const std::string& on_exit)
    : engine_(engine), place_(std::move(place)) {
  for (LifecycleHook& hook : hooks) {
    if (hook.name == "exit") {
      exit_ = std::move(hook);
    } else {
      hooks_.push_back(std::move(hook));
    }
  }
  if (!exit_.has_value() && !on_exit.empty()) {
    exit_.emplace();
    exit_->template_name = on_exit;
    exit_->arguments = engine.info().arguments;
  }
}

absl::StatusOr<bool> Hooks::IsDue(const LifecycleHook& hook,
                                  const LocalScope& scope) const {
  if (hook.expression.empty()) return hook.name == "exit";
  RK_ASSIGN_OR_RETURN(const Expression expression,
                      Expression::Parse(hook.expression));
  const absl::StatusOr<bool> due =
      expression.EvaluateBool(ToVariables(scope.Over(engine_.globals_)));
  if (due.ok()) return *due;
  return WithContext(due.status(), absl::StrCat("hook '", hook.name, "'"));
}

void Hooks::Start(const LifecycleHook& hook, const std::string& node_name,
                  Node& node, const LocalScope& scope, bool on_exit) {
  LocalScope with_outputs = scope;
  const Node* attempt = engine_.tree_.LastAttempt(node);
  const Node& ended = attempt == nullptr ? node : *attempt;
  if (ended.outputs.has_value()) {
    with_outputs.AddOutputs(place_.prefix, place_.name, *ended.outputs);
  }
  Call call;
  call.node_name = node_name;
  call.step.template_name = hook.template_name;
  call.step.template_ref = hook.template_ref;
  call.step.position = hook.position;
  call.step.arguments = hook.arguments;
  const Scope values = with_outputs.Over(engine_.globals_);
  for (Parameter& parameter : call.step.arguments.parameters) {
    if (!parameter.value.has_value()) continue;
    const auto value = Substitute(*parameter.value, values, Unresolved::Keep());
    if (value.ok()) parameter.value = *value;
  }
  for (Artifact& artifact : call.step.arguments.artifacts) {
    if (artifact.from.empty() && artifact.from_expression.empty()) continue;
    const auto found = with_outputs.FindArtifact(artifact, engine_.globals_);
    const std::string name = artifact.name;
    if (found.ok()) artifact = *found;
    artifact.name = name;
  }
  call.owner = place_.owner;
  call.boundary = place_.boundary;
  call.parent = place_.parent;
  call.hooked = true;
  call.on_exit = on_exit;
  call.on_node = [this, &node, node_name](Node& hook_node) {
    engine_.tree_.AddChild(node, hook_node);
    started_[node_name].node = &hook_node;
  };
  started_[node_name];
  engine_.Place(std::move(call));
}

absl::StatusOr<bool> Hooks::Advance(Node& node, const LocalScope& scope) {
  for (const LifecycleHook& hook : hooks_) {
    const std::string name = absl::StrCat(node.name, ".hooks.", hook.name);
    if (started_.contains(name)) continue;
    RK_ASSIGN_OR_RETURN(const bool due, IsDue(hook, scope));
    if (due) Start(hook, name, node, scope, /*on_exit=*/false);
  }
  const std::string exit_name = absl::StrCat(node.name, ".onExit");
  if (exit_.has_value() && IsCompleted(node.phase) &&
      !started_.contains(exit_name) && engine_.MayRun(/*on_exit=*/true)) {
    absl::StatusOr<bool> due = true;
    if (!exit_->expression.empty()) due = IsDue(*exit_, scope);
    RK_RETURN_IF_ERROR(due.status());
    if (*due) Start(*exit_, exit_name, node, scope, /*on_exit=*/true);
  }
  for (const auto& [name, started] : started_) {
    if (started.node == nullptr || !started.node->fulfilled()) return false;
  }
  return true;
}

}  // namespace rekindle::argo
