#include "operator/engine/argo_duration.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace rekindle::argo {

absl::StatusOr<absl::Duration> ParseArgoDuration(const std::string& text) {
  int64_t seconds = 0;
  if (absl::SimpleAtoi(text, &seconds)) return absl::Seconds(seconds);
  absl::Duration duration;
  if (absl::ParseDuration(text, &duration)) return duration;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is no duration, expected seconds or, for instance, 1m30s"));
}

}  // namespace rekindle::argo
