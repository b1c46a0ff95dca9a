#include "operator/expression/functions/go_time.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace rekindle::argo {
namespace {

// Longer ones first where one begins another.
constexpr auto kParts =
    std::to_array<std::pair<absl::string_view, absl::string_view>>({
        {"January", "%B"}, {"Jan", "%b"},          {"Monday", "%A"},
        {"Mon", "%a"},     {"MST", "%Z"},          {"2006", "%Y"},
        {"-07:00", "%Ez"}, {"Z07:00", "%Ez"},      {"-0700", "%z"},
        {"Z0700", "%z"},   {".000000000", "%E*f"}, {".999999999", "%E*f"},
        {"01", "%m"},      {"02", "%d"},           {"03", "%I"},
        {"04", "%M"},      {"05", "%S"},           {"06", "%y"},
        {"15", "%H"},      {"PM", "%p"},           {"_2", "%e"},
    });

}  // namespace

std::string LayoutToFormat(absl::string_view layout) {
  std::string format;
  while (!layout.empty()) {
    bool matched = false;
    for (const auto& [part, directive] : kParts) {
      if (!absl::StartsWith(layout, part)) continue;
      absl::StrAppend(&format, directive);
      layout.remove_prefix(part.size());
      matched = true;
      break;
    }
    if (matched) continue;
    absl::StrAppend(&format, layout[0] == '%' ? "%%" : layout.substr(0, 1));
    layout.remove_prefix(1);
  }
  return format;
}

std::string FormatGoTime(absl::string_view layout, absl::Time time) {
  const std::string text =
      absl::FormatTime(LayoutToFormat(layout), time, absl::UTCTimeZone());
  return absl::StrContains(layout, "Z07")
             ? absl::StrReplaceAll(text, {{"+00:00", "Z"}, {"+0000", "Z"}})
             : text;
}

absl::StatusOr<absl::Time> ParseGoTime(absl::string_view layout,
                                       absl::string_view text) {
  absl::Time time;
  std::string error;
  if (absl::ParseTime(LayoutToFormat(layout), text, &time, &error)) return time;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a time as '", layout, "'"));
}

}  // namespace rekindle::argo
