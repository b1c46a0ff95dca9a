#include "operator/engine/frame.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "operator/engine/argo_duration.h"
#include "operator/expression/condition.h"
#include "operator/expression/expression.h"
#include "operator/workflow/expansion.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {
namespace {

Unresolved OfOtherSteps() {
  return Unresolved::RefuseBelow({"steps", "tasks"});
}

}  // namespace

void Frame::SetPhase(Phase phase) {
  engine_.SetPhase(*node_, phase);
  if (call_.parent != nullptr) engine_.Queue(call_.parent);
}

void Frame::SetPhase(Phase phase, std::string message) {
  node_->message = std::move(message);
  SetPhase(phase);
}

PodFrame::PodFrame(Engine& engine, Call call, Node* node)
    : Frame(engine, std::move(call), node) {
  const Template& of = rendered();
  if (!of.timeout.empty()) {
    const auto timeout = ParseArgoDuration(of.timeout);
    if (timeout.ok()) deadline_ = engine.now_ + *timeout;
  }
  int64_t seconds = 0;
  if (of.active_deadline_seconds.has_value() &&
      absl::SimpleAtoi(of.active_deadline_seconds->text, &seconds)) {
    deadline_ = std::min(deadline_, engine.now_ + absl::Seconds(seconds));
  }
}

void PodFrame::Advance() {
  if (node_->fulfilled()) return;
  if (node_->phase == Phase::kPending && !engine_.pods_.contains(node_->id)) {
    engine_.pods_[node_->id] = this;
    PodTask task;
    task.node_id = node_->id;
    task.node_name = node_->name;
    task.pod_name = PodName(engine_.info_.name, node_->name,
                            call_.definition->name, node_->id);
    task.definition = call_.rendered;
    absl::StatusOr<std::vector<PodMount>> mounts =
        MountsOf(rendered(), engine_.workflow_, engine_.globals_);
    if (!mounts.ok()) {
      engine_.pods_.erase(node_->id);
      return SetPhase(Phase::kError, std::string(mounts.status().message()));
    }
    task.mounts = *std::move(mounts);
    task.deadline = std::min(
        deadline_, call_.on_exit ? absl::InfiniteFuture() : engine_.deadline_);
    if (call_.boundary != nullptr && !call_.kind.empty()) {
      const std::string& text =
          engine_.SourceText(call_.boundary->definition());
      const std::string& name = call_.step.name;
      const auto mentions = [&](const std::string& reference) {
        return text.find(reference) != std::string::npos;
      };
      task.wants_result =
          mentions(absl::StrCat(call_.kind, ".", name, ".outputs.result")) ||
          mentions(absl::StrCat(call_.kind, "['", name, "'].outputs.result")) ||
          mentions(
              absl::StrCat(call_.kind, "[\\\"", name, "\\\"].outputs.result"));
    }
    engine_.decision_.start.push_back(std::move(task));
  }
  if (deadline_ != absl::InfiniteFuture()) {
    if (engine_.now_ >= deadline_) {
      Kill("Pod was active on the node longer than the specified deadline");
    } else {
      engine_.WakeAt(deadline_);
    }
  }
}

void PodFrame::Started() {
  if (!node_->fulfilled()) SetPhase(Phase::kRunning);
}

void PodFrame::Kill(const std::string& message) {
  if (!kill_message_.empty()) return;
  kill_message_ = message;
  engine_.decision_.kill.push_back({node_->id, message});
}

void PodFrame::Ended(PodResult result) {
  if (!kill_message_.empty()) {
    result.phase = Phase::kFailed;
    result.message = kill_message_;
  }
  node_->outputs = std::move(result.outputs);
  engine_.AddGlobalOutputs(*node_->outputs);
  SetPhase(result.phase, std::move(result.message));
}

SuspendFrame::SuspendFrame(Engine& engine, Call call, Node* node)
    : Frame(engine, std::move(call), node) {
  engine.suspended_[node->id] = this;
  const std::string& text = rendered().suspend->duration;
  if (text.empty()) {
    if (engine.info_.resume_suspended) until_ = engine.now_;
    return;
  }
  const auto duration = ParseArgoDuration(text);
  if (duration.ok()) {
    until_ = engine.now_ + *duration;
  } else {
    SetPhase(Phase::kError, std::string(duration.status().message()));
  }
}

void SuspendFrame::Resume() {
  if (node_->fulfilled()) return;
  engine_.suspended_.erase(node_->id);
  NodeOutputs outputs;
  for (const Parameter& parameter : rendered().outputs.parameters) {
    if (!parameter.value_from.has_value()) continue;
    Parameter given = parameter;
    given.value = parameter.value_from->default_value;
    given.value_from.reset();
    outputs.parameters.push_back(std::move(given));
  }
  if (!outputs.empty()) node_->outputs = std::move(outputs);
  SetPhase(Phase::kSucceeded);
}

void SuspendFrame::Advance() {
  if (node_->fulfilled()) return;
  if (!engine_.MayRun(call_.on_exit)) {
    SetPhase(Phase::kFailed, "Stopped with strategy 'Stop'");
  } else if (engine_.PastDeadline() && !call_.on_exit) {
    SetPhase(Phase::kFailed, "Step exceeded its deadline");
  } else if (engine_.now_ >= until_) {
    Resume();
  } else {
    if (node_->phase == Phase::kPending) SetPhase(Phase::kRunning);
    engine_.WakeAt(std::min(until_, engine_.deadline_));
  }
}

BoundaryFrame::BoundaryFrame(Engine& engine, Call call, Node* node,
                             std::string prefix)
    : Frame(engine, std::move(call), node), prefix_(std::move(prefix)) {}

bool BoundaryFrame::FailedFast() const {
  return rendered().fail_fast.value_or(false) && failed_children > 0;
}

void BoundaryFrame::FailFast() {
  constexpr char kMessage[] =
      "template has failed or errored children and failFast enabled";
  MarkLeafGroup(kMessage);
  SetPhase(Phase::kFailed, kMessage);
}

LocalScope BoundaryFrame::NewScope() const {
  LocalScope scope;
  scope.AddInputs(rendered());
  for (const Parameter& parameter : engine_.outputs_.parameters) {
    scope.values[absl::StrCat("workflow.outputs.parameters.", parameter.name)] =
        parameter.value.value_or("");
  }
  for (const Artifact& artifact : engine_.outputs_.artifacts) {
    scope
        .artifacts[absl::StrCat("workflow.outputs.artifacts.", artifact.name)] =
        artifact;
  }
  return scope;
}

Node& BoundaryFrame::AddSkipped(const std::string& name, const Step& step,
                                Phase phase, std::string message) {
  Node node;
  node.name = name;
  node.type = NodeType::kSkipped;
  node.template_name = step.template_name;
  node.template_ref = step.template_ref;
  node.template_scope = node_->template_scope;
  node.boundary_id = node_->id;
  node.phase = phase;
  node.message = std::move(message);
  node.started_at = engine_.now_;
  return engine_.tree_.Add(std::move(node));
}

absl::StatusOr<bool> BoundaryFrame::IsForbidden(Step& step,
                                                const Scope& scope) const {
  if (step.when.empty()) return false;
  RK_ASSIGN_OR_RETURN(step.when, Substitute(step.when, scope, OfOtherSteps()));
  const absl::StatusOr<bool> proceed = EvaluateWhen(step.when);
  if (proceed.ok()) return !*proceed;
  if (step.Expands()) return false;
  return proceed.status();
}

absl::StatusOr<Step> BoundaryFrame::Resolve(const Step& step,
                                            const Scope& scope) const {
  RK_ASSIGN_OR_RETURN(Step resolved,
                      Render(WithAbsentArguments(WithoutHooks(step), scope),
                             scope, OfOtherSteps()));
  resolved.hooks = step.hooks;
  return resolved;
}

absl::Status BoundaryFrame::ResolveArtifacts(Step& step,
                                             const LocalScope& scope) const {
  std::vector<Artifact> resolved;
  for (const Artifact& artifact : step.arguments.artifacts) {
    if (artifact.from.empty() && artifact.from_expression.empty()) {
      resolved.push_back(artifact);
      continue;
    }
    absl::StatusOr<Artifact> found =
        scope.FindArtifact(artifact, engine_.globals_);
    if (!found.ok() && artifact.optional) continue;
    RK_RETURN_IF_ERROR(found.status());
    const bool nowhere = found->key.empty() && found->location.empty() &&
                         !found->raw_data.has_value();
    if (artifact.optional && nowhere) continue;
    found->name = artifact.name;
    if (!artifact.sub_path.empty()) found->sub_path = artifact.sub_path;
    resolved.push_back(*std::move(found));
  }
  step.arguments.artifacts = std::move(resolved);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::pair<std::string, Step>>> BoundaryFrame::Expand(
    const Step& step, bool forbidden) const {
  std::vector<std::pair<std::string, Step>> expanded;
  const absl::StatusOr<std::vector<ExpandedStep>> items = ExpandStep(step);
  if (!items.ok()) {
    // A list that a step would need that does not run may be missing.
    if (forbidden) return expanded;
    return items.status();
  }
  for (const ExpandedStep& item : *items) {
    RK_ASSIGN_OR_RETURN(Step one, Render(step, item.item, Unresolved::Keep()));
    one.name = step.name;
    one.hooks = step.hooks;
    expanded.emplace_back(item.name, std::move(one));
  }
  return expanded;
}

void BoundaryFrame::Run(Child& child, std::function<void(Node&)> connect) {
  Call call;
  call.node_name = child.node_name;
  call.step = child.step;
  call.kind = prefix_;
  call.owner = call_.template_owner;
  call.boundary = this;
  call.parent = this;
  call.on_exit = call_.on_exit;
  call.on_node = [&child, connect = std::move(connect)](Node& node) {
    child.node = &node;
    child.misused = node.type == NodeType::kSkipped;
    connect(node);
  };
  engine_.Place(std::move(call));
}

absl::StatusOr<NodeOutputs> BoundaryFrame::OutputsFrom(
    const LocalScope& scope) const {
  NodeOutputs outputs;
  for (const Parameter& declared : rendered().outputs.parameters) {
    if (!declared.value_from.has_value()) continue;
    const ValueFrom& from = *declared.value_from;
    Parameter given = declared;
    given.value_from.reset();
    absl::StatusOr<Value> value = Value();
    if (!from.expression.empty()) {
      const auto expression = Expression::Parse(from.expression);
      RK_RETURN_IF_ERROR(expression.status());
      value = expression->Evaluate(scope.Variables(engine_.globals_));
    } else {
      const auto found = scope.values.find(SingleTag(from.parameter));
      value = found == scope.values.end()
                  ? absl::StatusOr<Value>(absl::InvalidArgumentError(
                        absl::StrCat("Unable to resolve: ", from.parameter)))
                  : found->second;
    }
    if ((!value.ok() || value->is_nil()) && from.default_value.has_value()) {
      value = Value(*from.default_value);
    }
    RK_RETURN_IF_ERROR(value.status());
    if (value->is_nil()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "output parameter '", declared.name,
          "' has no value: what it refers to was skipped and has no default"));
    }
    given.value = ToText(*value);
    outputs.parameters.push_back(std::move(given));
  }
  for (const Artifact& declared : rendered().outputs.artifacts) {
    if (declared.from.empty() && declared.from_expression.empty()) continue;
    absl::StatusOr<Artifact> found =
        scope.FindArtifact(declared, engine_.globals_);
    if (!found.ok() && declared.optional) continue;
    RK_RETURN_IF_ERROR(found.status());
    found->name = declared.name;
    found->global_name = declared.global_name;
    outputs.artifacts.push_back(*std::move(found));
  }
  return outputs;
}

void BoundaryFrame::Succeed(const LocalScope& scope) {
  absl::StatusOr<NodeOutputs> outputs = OutputsFrom(scope);
  if (!outputs.ok()) {
    return SetPhase(Phase::kError, std::string(outputs.status().message()));
  }
  if (!outputs->empty()) {
    node_->outputs = *std::move(outputs);
    engine_.AddGlobalOutputs(*node_->outputs);
  }
  SetPhase(Phase::kSucceeded);
}

void BoundaryFrame::AddSkippedOutputs(const Step& step, const Node& node,
                                      LocalScope& scope,
                                      bool with_artifacts) const {
  const bool skipped =
      node.phase == Phase::kSkipped || node.phase == Phase::kOmitted;
  if (!skipped || node.outputs.has_value()) return;
  const auto found = engine_.library_.Resolve(step, *call_.template_owner);
  if (!found.ok()) return;
  scope.AddSkipped(prefix_, step.name, *found->definition, with_artifacts);
}

}  // namespace rekindle::argo
