#include "component/launch/progress_relay.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"

namespace rekindle {
namespace {

bool IsProgress(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> fraction =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  int64_t done = 0;
  int64_t all = 0;
  return absl::SimpleAtoi(fraction.first, &done) &&
         absl::SimpleAtoi(fraction.second, &all) && done >= 0 && all > 0 &&
         done <= all;
}

}  // namespace

void ProgressRelay::Relay() {
  if (to_.empty()) return;
  const absl::StatusOr<std::string> text = ReadFile(from_);
  if (!text.ok()) return;  // The child has said nothing yet.
  const std::string progress(absl::StripAsciiWhitespace(*text));
  if (progress == told_ || !IsProgress(progress)) return;
  // That the orchestrator does not learn it is no reason to fail.
  if (WriteFileAtomically(to_, progress).ok()) told_ = progress;
}

}  // namespace rekindle
