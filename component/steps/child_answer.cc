#include "component/steps/child_answer.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_util.h"
#include "component/launch/failure.h"

namespace rekindle {

absl::Status StatusOf(const ExecutorError& error) {
  const absl::Status status(static_cast<absl::StatusCode>(error.code),
                            error.message);
  if (const auto named = FindFailureReason(error.reason)) {
    return WithReason(*named, status);
  }
  // Elsewhere these codes are about the store and the claim.
  if (absl::IsUnavailable(status) || absl::IsAborted(status)) {
    return WithReason(FailureReason::kExecutorError, status);
  }
  return status;
}

bool IsWorthReading(const absl::Status& ended) {
  return ended.ok() || ReasonOf(ended) == FailureReason::kChildExitCode;
}

absl::Status UnreadableAnswer(const absl::Status& status,
                              const std::string& child) {
  return WithReason(
      absl::IsNotFound(status) ? FailureReason::kNoOutput
                               : FailureReason::kInvalidOutput,
      WithContext(status, absl::StrCat(child,
                                       " ended well, but its answer "
                                       "cannot be read")));
}

}  // namespace rekindle
