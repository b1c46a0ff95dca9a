#include "component/launch/failure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

constexpr char kPayload[] = "rekindle/failure_reason";

struct NamedReason {
  FailureReason reason;
  absl::string_view name;
};

constexpr std::array<NamedReason, 16> kReasons = {{
    {FailureReason::kExecutorError, "EXECUTOR_ERROR"},
    {FailureReason::kInputNotFound, "INPUT_NOT_FOUND"},
    {FailureReason::kInputUnusable, "INPUT_UNUSABLE"},
    {FailureReason::kOutputUnwritable, "OUTPUT_UNWRITABLE"},
    {FailureReason::kDiskFull, "DISK_FULL"},
    {FailureReason::kChildCannotStart, "CHILD_CANNOT_START"},
    {FailureReason::kChildExitCode, "CHILD_EXIT_CODE"},
    {FailureReason::kChildSignal, "CHILD_SIGNAL"},
    {FailureReason::kOutOfMemory, "OUT_OF_MEMORY"},
    {FailureReason::kNoOutput, "NO_OUTPUT"},
    {FailureReason::kInvalidOutput, "INVALID_OUTPUT"},
    {FailureReason::kDeadline, "DEADLINE"},
    {FailureReason::kCancelled, "CANCELLED"},
    {FailureReason::kClaimLost, "CLAIM_LOST"},
    {FailureReason::kStoreUnreachable, "STORE_UNREACHABLE"},
    {FailureReason::kLauncherLost, "LAUNCHER_LOST"},
}};

std::optional<FailureReason> AttachedReason(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  const auto* found = std::find_if(
      kReasons.begin(), kReasons.end(),
      [&](const NamedReason& named) { return *payload == named.name; });
  if (found == kReasons.end()) return std::nullopt;
  return found->reason;
}

}  // namespace

absl::string_view FailureReasonName(FailureReason reason) {
  const auto* found = std::find_if(
      kReasons.begin(), kReasons.end(),
      [&](const NamedReason& named) { return named.reason == reason; });
  return found->name;
}

absl::Status WithReason(FailureReason reason, absl::Status status) {
  if (!status.ok()) {
    status.SetPayload(kPayload, absl::Cord(FailureReasonName(reason)));
  }
  return status;
}

FailureReason ReasonOf(const absl::Status& status) {
  if (const auto attached = AttachedReason(status)) return *attached;
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
      return FailureReason::kCancelled;
    case absl::StatusCode::kAborted:
      return FailureReason::kClaimLost;
    case absl::StatusCode::kUnavailable:
      return FailureReason::kStoreUnreachable;
    case absl::StatusCode::kDeadlineExceeded:
      return FailureReason::kDeadline;
    case absl::StatusCode::kResourceExhausted:
      return FailureReason::kDiskFull;
    default:
      return FailureReason::kExecutorError;
  }
}

}  // namespace rekindle
