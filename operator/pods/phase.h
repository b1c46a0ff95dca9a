#ifndef REKINDLE_OPERATOR_PODS_PHASE_H_
#define REKINDLE_OPERATOR_PODS_PHASE_H_

#include <optional>
#include <string>

namespace rekindle::argo {

// How far a node of a workflow, which may be a pod, has come.
enum class Phase {
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
  kError,
  kSkipped,
  kOmitted
};

// "Succeeded", ...
const char* PhaseName(Phase phase);
std::optional<Phase> PhaseOf(const std::string& name);

// It ran, and has ended.
bool IsCompleted(Phase phase);
// It has ended, or never will begin.
bool IsFulfilled(Phase phase);
bool IsFailure(Phase phase);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_PHASE_H_
