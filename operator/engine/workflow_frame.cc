#include "operator/engine/workflow_frame.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "operator/engine/global_scope.h"

namespace rekindle::argo {

WorkflowFrame::WorkflowFrame(Engine& engine) : Frame(engine, {}, nullptr) {
  std::vector<LifecycleHook> hooks = engine.workflow_.spec.hooks;
  std::erase_if(hooks, [](const LifecycleHook& h) { return h.name == "exit"; });
  hooks_.emplace(engine, Hooks::Place{this, nullptr, &engine.workflow_, "", ""},
                 std::move(hooks), "");
}

void WorkflowFrame::Start() {
  Call call;
  call.node_name = engine_.info_.name;
  call.step.template_name = engine_.workflow_.spec.entrypoint;
  call.step.arguments = engine_.info_.arguments;
  call.owner = &engine_.workflow_;
  call.parent = this;
  call.on_node = [this](Node& node) { node_ = &node; };
  engine_.Place(std::move(call));
}

void WorkflowFrame::SetStatus() {
  Phase phase = node_->phase;
  if (phase == Phase::kSkipped || phase == Phase::kOmitted) {
    phase = Phase::kSucceeded;
  }
  engine_.globals_["workflow.status"] = PhaseName(phase);
  engine_.globals_["workflow.failures"] = Failures(engine_.tree_);
  engine_.globals_["workflow.duration"] = absl::StrFormat(
      "%f", absl::ToDoubleSeconds(engine_.now_ - engine_.started_at_));
}

void WorkflowFrame::Advance() {
  if (!started_) {
    started_ = true;
    Start();
  }
  if (node_ == nullptr || engine_.done_) return;
  if (hooks_->empty() && !node_->fulfilled()) return;
  SetStatus();
  const absl::StatusOr<bool> quiet = hooks_->Advance(*node_, {});
  if (!quiet.ok()) {
    return engine_.Finish(Phase::kError, std::string(quiet.status().message()));
  }
  if (!*quiet || !node_->fulfilled()) return;
  const WorkflowSpec& spec = engine_.workflow_.spec;
  const auto hook =
      std::find_if(spec.hooks.begin(), spec.hooks.end(),
                   [](const LifecycleHook& h) { return h.name == "exit"; });
  const bool has_exit = !spec.on_exit.empty() || hook != spec.hooks.end();
  if (has_exit && !exit_called_ && engine_.MayRun(/*on_exit=*/true)) {
    exit_called_ = true;
    Call call;
    call.node_name = absl::StrCat(engine_.info_.name, ".onExit");
    call.step.template_name = spec.on_exit;
    call.step.arguments = engine_.info_.arguments;
    if (hook != spec.hooks.end()) {
      call.step.template_name = hook->template_name;
      call.step.template_ref = hook->template_ref;
      call.step.arguments = hook->arguments;
      for (Parameter& parameter : call.step.arguments.parameters) {
        if (!parameter.value.has_value()) continue;
        const auto value =
            Substitute(*parameter.value, engine_.globals_, Unresolved::Keep());
        if (value.ok()) parameter.value = *value;
      }
    }
    call.owner = &engine_.workflow_;
    call.parent = this;
    call.hooked = true;
    call.on_exit = true;
    call.on_node = [this](Node& node) { exit_node_ = &node; };
    engine_.Place(std::move(call));
  }
  if (exit_called_ && (exit_node_ == nullptr || !exit_node_->fulfilled())) {
    if (engine_.MayRun(/*on_exit=*/true) || exit_node_ != nullptr) return;
  }
  Finish(exit_node_);
}

void WorkflowFrame::Finish(const Node* exit_node) {
  if (!IsFailure(node_->phase)) {
    if (exit_node != nullptr && IsFailure(exit_node->phase)) {
      return engine_.Finish(exit_node->phase, exit_node->message);
    }
    return engine_.Finish(Phase::kSucceeded, "");
  }
  std::string message = node_->message;
  if (engine_.shutdown_ == Shutdown::kStop) {
    message = "Stopped with strategy 'Stop'";
  } else if (engine_.shutdown_ == Shutdown::kTerminate) {
    message = "Stopped with strategy 'Terminate'";
  }
  engine_.Finish(node_->phase, std::move(message));
}

}  // namespace rekindle::argo
