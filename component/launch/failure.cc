#include "component/launch/failure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "component/contract/executor_output.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

struct NamedReason {
  FailureReason reason;
  absl::string_view name;
};

constexpr std::array<NamedReason, 22> kReasons = {{
    {FailureReason::kExecutorError, "EXECUTOR_ERROR"},
    {FailureReason::kInputNotFound, "INPUT_NOT_FOUND"},
    {FailureReason::kInputUnusable, "INPUT_UNUSABLE"},
    {FailureReason::kInputChanged, "INPUT_CHANGED"},
    {FailureReason::kOutputUnwritable, "OUTPUT_UNWRITABLE"},
    {FailureReason::kDiskFull, "DISK_FULL"},
    {FailureReason::kChildCannotStart, "CHILD_CANNOT_START"},
    {FailureReason::kChildExitCode, "CHILD_EXIT_CODE"},
    {FailureReason::kChildSignal, "CHILD_SIGNAL"},
    {FailureReason::kOutOfMemory, "OUT_OF_MEMORY"},
    {FailureReason::kNoOutput, "NO_OUTPUT"},
    {FailureReason::kInvalidOutput, "INVALID_OUTPUT"},
    {FailureReason::kModuleUnusable, "MODULE_UNUSABLE"},
    {FailureReason::kModuleRaised, "MODULE_RAISED"},
    {FailureReason::kPackageMissing, "PACKAGE_MISSING"},
    {FailureReason::kNoGpu, "NO_GPU"},
    {FailureReason::kRewriteFailed, "REWRITE_FAILED"},
    {FailureReason::kDeadline, "DEADLINE"},
    {FailureReason::kCancelled, "CANCELLED"},
    {FailureReason::kClaimLost, "CLAIM_LOST"},
    {FailureReason::kStoreUnreachable, "STORE_UNREACHABLE"},
    {FailureReason::kLauncherLost, "LAUNCHER_LOST"},
}};

std::optional<FailureReason> AttachedReason(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kReasonPayload);
  if (!payload.has_value()) return std::nullopt;
  return FindFailureReason(std::string(*payload));
}

}  // namespace

absl::string_view FailureReasonName(FailureReason reason) {
  const auto* found = std::find_if(
      kReasons.begin(), kReasons.end(),
      [&](const NamedReason& named) { return named.reason == reason; });
  return found->name;
}

std::optional<FailureReason> FindFailureReason(absl::string_view name) {
  const auto* found = std::find_if(
      kReasons.begin(), kReasons.end(),
      [&](const NamedReason& named) { return named.name == name; });
  if (found == kReasons.end()) return std::nullopt;
  return found->reason;
}

absl::Status WithReason(FailureReason reason, absl::Status status) {
  if (!status.ok()) {
    status.SetPayload(kReasonPayload, absl::Cord(FailureReasonName(reason)));
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

std::string ExecutionResultJson(const absl::Status& error) {
  return nlohmann::json{{"code", error.raw_code()},
                        {"resultMessage", std::string(error.message())}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<absl::StatusCode> CodeOfExecutionResult(const std::string& json) {
  const auto result =
      nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!result.is_object() || !result.contains("code") ||
      !result["code"].is_number_integer()) {
    return std::nullopt;
  }
  return static_cast<absl::StatusCode>(result["code"].get<int>());
}

bool MayHelpToRetry(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

FailureReason ReasonOfVanished(absl::string_view text) {
  // Kubernetes says OOMKilled only if it was the container's first process; for
  // any other the code is all there is, and an eviction has none.
  constexpr std::array kSigns = {absl::string_view("OOMKilled"),
                                 absl::string_view("exit code 137")};
  const bool out_of_memory = std::any_of(
      kSigns.begin(), kSigns.end(),
      [&](absl::string_view sign) { return absl::StrContains(text, sign); });
  return out_of_memory ? FailureReason::kOutOfMemory
                       : FailureReason::kLauncherLost;
}

}  // namespace rekindle
