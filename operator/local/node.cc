#include "operator/local/node.h"

#include <array>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace rekindle::argo {
namespace {

constexpr std::array kPhaseNames = {"Pending", "Running", "Succeeded", "Failed",
                                    "Error",   "Skipped", "Omitted"};
constexpr std::array kTypeNames = {"Pod",     "Steps",     "StepGroup",
                                   "DAG",     "TaskGroup", "Retry",
                                   "Skipped", "Suspend"};

}  // namespace

const char* PhaseName(Phase phase) {
  return kPhaseNames.at(static_cast<size_t>(phase));
}

std::optional<Phase> PhaseOf(const std::string& name) {
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (name == kPhaseNames.at(i)) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

bool IsCompleted(Phase phase) {
  return phase == Phase::kSucceeded || IsFailure(phase);
}

bool IsFulfilled(Phase phase) {
  return phase != Phase::kPending && phase != Phase::kRunning;
}

bool IsFailure(Phase phase) {
  return phase == Phase::kFailed || phase == Phase::kError;
}

const char* NodeTypeName(NodeType type) {
  return kTypeNames.at(static_cast<size_t>(type));
}

absl::Duration Node::duration() const {
  return finished_at == absl::InfiniteFuture() ? absl::ZeroDuration()
                                               : finished_at - started_at;
}

}  // namespace rekindle::argo
