#include "component/steps/child_answer.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/launch/failure.h"
#include "component/steps/splits.h"

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

absl::StatusOr<std::string> OnlyFileIn(const ml_metadata::Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ListFiles(artifact.uri()));
  if (files.size() == 1) return files.front();
  return absl::FailedPreconditionError(absl::StrCat(
      artifact.type(), " artifact ", artifact.id(), " at ", artifact.uri(),
      " holds ", files.size(), " files; it must hold exactly one"));
}

}  // namespace rekindle
