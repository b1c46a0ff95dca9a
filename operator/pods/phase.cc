#include "operator/pods/phase.h"

#include <array>
#include <optional>
#include <string>

namespace rekindle::argo {
namespace {

constexpr std::array kPhaseNames = {"Pending", "Running", "Succeeded", "Failed",
                                    "Error",   "Skipped", "Omitted"};

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

}  // namespace rekindle::argo
