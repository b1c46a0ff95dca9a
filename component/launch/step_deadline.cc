#include "component/launch/step_deadline.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

constexpr absl::string_view kGoZeroTime = "0001-01-01T00:00:00Z";
constexpr int kMostOfShortTime = 4;  // one over

}  // namespace

absl::StatusOr<absl::Time> ParseDeadline(absl::string_view text,
                                         absl::Time now) {
  if (text.empty() || text == kGoZeroTime) return absl::InfiniteFuture();
  absl::Duration duration;
  if (absl::ParseDuration(text, &duration)) {
    if (duration > absl::ZeroDuration()) return now + duration;
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a positive duration"));
  }
  absl::Time time;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, &error)) return time;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text,
                   "' is neither a duration, as 90m, nor a time, as "
                   "2026-11-16T13:00:00Z"));
}

StopPlan PlanStop(absl::Time deadline, absl::Duration grace, absl::Time now) {
  if (deadline == absl::InfiniteFuture()) return {deadline, grace};
  const absl::Duration left = std::max(deadline - now, absl::ZeroDuration());
  const absl::Duration kept = std::min(grace, left / kMostOfShortTime);
  return {deadline - kept, kept};
}

}  // namespace rekindle
