#include "operator/view/duration_text.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace rekindle::argo {

std::string DurationText(absl::Duration duration) {
  const int64_t millis = absl::ToInt64Milliseconds(duration);
  const int64_t seconds = millis / 1000;
  const int64_t tenths = millis / 100 % 10;
  if (millis <= 0) return "0s";
  if (seconds == 0) return absl::StrCat(millis, "ms");
  if (seconds < 10 && tenths > 0)
    return absl::StrCat(seconds, ".", tenths, "s");
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) {
    return absl::StrFormat("%dm%02ds", seconds / 60, seconds % 60);
  }
  return absl::StrFormat("%dh%02dm", seconds / 3600, seconds / 60 % 60);
}

}  // namespace rekindle::argo
