#include "component/training/time_budget.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

constexpr double kSafety = 1.5;
// For what is not measured: writing the answer, ending the process.
constexpr absl::Duration kMargin = absl::Milliseconds(500);

}  // namespace

void TimeBudget::Keep(absl::Duration took, absl::Duration& longest) {
  longest = std::max(longest, took);
}

absl::Duration TimeBudget::Reserve() const {
  // An export writes what a checkpoint does, and is loaded into a new session
  // to try it. The one checkpoint that follows has not been measured in a short
  // run; a session takes longer to open than a small one to write.
  const absl::Duration checkpoint =
      checkpoint_ > absl::ZeroDuration() ? checkpoint_ : session_;
  const absl::Duration measured = 2 * checkpoint + evaluation_ + session_;
  return kSafety * measured + kMargin;
}

bool TimeBudget::IsUsedUp(absl::Time now) const {
  return limited() && now + step_ + Reserve() >= deadline_;
}

absl::StatusOr<absl::Time> ParseInputDeadline(absl::string_view text) {
  if (text.empty()) return absl::InfiniteFuture();
  absl::Time deadline;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, text, &deadline, &error)) {
    return deadline;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("executor input: 'deadline' is '", text,
                   "', not a time of RFC 3339: ", error));
}

}  // namespace rekindle
