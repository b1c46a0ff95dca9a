#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "operator/engine/argo_duration.h"
#include "operator/engine/frame.h"
#include "operator/expression/expression.h"

namespace rekindle::argo {
namespace {

std::string Seconds(absl::Duration duration) {
  return ToText(Value(absl::ToDoubleSeconds(duration)));
}

absl::StatusOr<int64_t> Number(const IntOrString& value,
                               const std::string& what) {
  int64_t number = 0;
  if (absl::SimpleAtoi(value.text, &number)) return number;
  return absl::InvalidArgumentError(absl::StrCat("retryStrategy.", what,
                                                 " is '", value.text,
                                                 "', expected a whole number"));
}

}  // namespace

RetryFrame::RetryFrame(Engine& engine, Call call, Node* node,
                       RetryStrategy strategy)
    : Frame(engine, std::move(call), node), strategy_(std::move(strategy)) {}

void RetryFrame::End(const Node& last, std::string message) {
  node_->outputs = last.outputs;
  SetPhase(last.phase, std::move(message));
}

Scope RetryFrame::LastRetry(const Node& last, size_t attempts) const {
  const bool has_code =
      last.outputs.has_value() && last.outputs->exit_code.has_value();
  return {{"retries", absl::StrCat(attempts - 1)},
          {"lastRetry.exitCode", has_code ? *last.outputs->exit_code : "-1"},
          {"lastRetry.status", PhaseName(last.phase)},
          {"lastRetry.duration", Seconds(last.duration())},
          {"lastRetry.message", last.message}};
}

void RetryFrame::Advance() {
  if (node_->fulfilled()) return;
  const Node* last = engine_.tree_.LastAttempt(*node_);
  if (last == nullptr) return StartAttempt(nullptr);
  if (!last->fulfilled()) {
    // Hooks wait for the phase of what runs.
    if (call_.parent != nullptr) engine_.Queue(call_.parent);
    return;
  }
  if (!IsFailure(last->phase)) {
    node_->outputs = last->outputs;
    return SetPhase(Phase::kSucceeded, "");
  }
  const absl::Status status =
      AfterFailure(*last, engine_.tree_.Attempts(*node_).size());
  if (!status.ok()) SetPhase(Phase::kError, std::string(status.message()));
}

absl::Status RetryFrame::AfterFailure(const Node& last, size_t attempts) {
  if (!engine_.MayRun(call_.on_exit)) {
    End(last, engine_.shutdown_ == Shutdown::kStop
                  ? "Stopped with strategy 'Stop'"
                  : "Stopped with strategy 'Terminate'");
    return absl::OkStatus();
  }
  if (engine_.PastDeadline()) {
    End(last, absl::StrCat("retry exceeded workflow deadline ",
                           absl::FormatTime(engine_.deadline_)));
    return absl::OkStatus();
  }
  // Argo waits before it asks whether to go on at all; the answer is the same.
  RK_ASSIGN_OR_RETURN(const bool may, MayRetry(last, attempts));
  if (!may) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(const bool past, PastBackoff(last, attempts));
  if (past) StartAttempt(&last);
  return absl::OkStatus();
}

absl::StatusOr<bool> RetryFrame::PastBackoff(const Node& last,
                                             size_t attempts) {
  if (!strategy_.backoff.has_value()) return true;
  const Backoff& backoff = *strategy_.backoff;
  absl::Time end = absl::InfiniteFuture();
  if (!backoff.max_duration.empty()) {
    RK_ASSIGN_OR_RETURN(const absl::Duration most,
                        ParseArgoDuration(backoff.max_duration));
    const std::string first = engine_.tree_.Attempts(*node_).front();
    end = engine_.tree_.FindId(first)->started_at + most;
    if (engine_.now_ > end) {
      End(last, "Max duration limit exceeded");
      return false;
    }
  }
  RK_ASSIGN_OR_RETURN(absl::Duration wait, ParseArgoDuration(backoff.duration));
  if (backoff.factor.has_value()) {
    RK_ASSIGN_OR_RETURN(const int64_t factor,
                        Number(*backoff.factor, "backoff.factor"));
    if (factor > 0) {
      wait *= std::pow(static_cast<double>(factor),
                       static_cast<double>(attempts - 1));
    }
  }
  if (!backoff.cap.empty()) {
    RK_ASSIGN_OR_RETURN(const absl::Duration cap,
                        ParseArgoDuration(backoff.cap));
    wait = std::min(wait, cap);
  }
  const absl::Time until = last.finished_at + wait;
  if (until > end) {
    End(last, "Backoff would exceed max duration limit");
    return false;
  }
  if (engine_.now_ < until) {
    node_->message = absl::StrCat("Backoff for ", absl::FormatDuration(wait));
    engine_.WakeAt(until);
    engine_.sleeping_.push_back(this);
    return false;
  }
  node_->message.clear();
  return true;
}

absl::StatusOr<bool> RetryFrame::MayRetry(const Node& last, size_t attempts) {
  std::string policy = strategy_.retry_policy;
  if (policy.empty()) {
    policy = strategy_.expression.empty() ? "OnFailure" : "Always";
  }
  const bool failed = last.phase == Phase::kFailed;
  // Nothing that happens on one machine is what Argo calls transient.
  const bool wanted = policy == "Always" ||
                      (failed ? policy == "OnFailure" : policy == "OnError");
  if (!wanted) {
    End(last, last.message);
    return false;
  }
  if (strategy_.limit.has_value()) {
    RK_ASSIGN_OR_RETURN(const int64_t limit, Number(*strategy_.limit, "limit"));
    if (static_cast<int64_t>(attempts) > limit) {
      End(last, "No more retries left");
      return false;
    }
  }
  if (!strategy_.expression.empty()) {
    RK_ASSIGN_OR_RETURN(const Expression expression,
                        Expression::Parse(strategy_.expression));
    RK_ASSIGN_OR_RETURN(
        const bool again,
        expression.EvaluateBool(ToVariables(LastRetry(last, attempts))));
    if (!again) {
      End(last, "retryStrategy.expression evaluated to false");
      return false;
    }
  }
  return true;
}

void RetryFrame::StartAttempt(const Node* last) {
  const size_t number = engine_.tree_.Attempts(*node_).size();
  Scope scope = {{"lastRetry.exitCode", "0"},
                 {"lastRetry.status", ""},
                 {"lastRetry.duration", "0"},
                 {"lastRetry.message", ""}};
  if (last != nullptr) {
    scope = LastRetry(*last, number);
    if (!last->outputs.has_value() || !last->outputs->exit_code.has_value()) {
      scope["lastRetry.exitCode"] = "0";
    }
  }
  scope["retries"] = absl::StrCat(number);
  Call attempt = call_;
  attempt.node_name = absl::StrCat(node_->name, "(", number, ")");
  attempt.parent = this;
  attempt.on_node = nullptr;
  scope["pod.name"] =
      PodName(engine_.info_.name, attempt.node_name, call_.definition->name,
              engine_.tree_.IdOf(attempt.node_name));
  absl::StatusOr<Template> rendered_again =
      Render(rendered(), scope, Unresolved::Keep());
  if (!rendered_again.ok()) {
    return SetPhase(Phase::kError,
                    std::string(rendered_again.status().message()));
  }
  rendered_again->inputs = rendered().inputs;
  attempt.rendered =
      std::make_shared<const Template>(*std::move(rendered_again));
  engine_.StartAttempt(std::move(attempt), *node_);
}

}  // namespace rekindle::argo
