#include "component/blessing/bound.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

absl::Status NotABound(absl::string_view text, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not a bound such as ", expected,
                   "; the bound itself may be reached, so it is written with "
                   ">= or <="));
}

// "accuracy>=0.9" with the number still as text.
struct BoundText {
  Bound bound;
  absl::string_view limit;
};

// nullopt if it has not the two parts with >= or <= between them.
std::optional<BoundText> SplitBound(absl::string_view text) {
  const size_t sign = text.find_first_of("<>");
  if (sign == absl::string_view::npos || text.substr(sign + 1, 1) != "=") {
    return std::nullopt;
  }
  BoundText parts;
  parts.bound.metric =
      std::string(absl::StripAsciiWhitespace(text.substr(0, sign)));
  parts.bound.side =
      text[sign] == '>' ? Bound::Side::kAtLeast : Bound::Side::kAtMost;
  parts.limit = absl::StripAsciiWhitespace(text.substr(sign + 2));
  if (parts.bound.metric.empty() || parts.limit.empty()) return std::nullopt;
  return parts;
}

bool ParseLimit(absl::string_view text, double* limit) {
  return absl::SimpleAtod(text, limit) && std::isfinite(*limit);
}

bool Contains(const SliceSpec& spec, const std::string& feature) {
  return spec.values.contains(feature) ||
         std::find(spec.features.begin(), spec.features.end(), feature) !=
             spec.features.end();
}

}  // namespace

std::string Bound::ToString() const {
  const char* sign = side == Side::kAtLeast ? " >= " : " <= ";
  switch (of) {
    case Of::kValue:
      return absl::StrCat(metric, sign, limit);
    case Of::kChange:
      return absl::StrCat(metric, " - baseline", sign, limit);
    case Of::kRelativeChange:
      return absl::StrCat(metric, " - baseline", sign, limit * 100, "%");
  }
  return metric;
}

absl::StatusOr<Bound> ParseThreshold(absl::string_view text) {
  std::optional<BoundText> parts = SplitBound(text);
  if (parts.has_value() && ParseLimit(parts->limit, &parts->bound.limit)) {
    return std::move(parts->bound);
  }
  return NotABound(text, "accuracy>=0.9");
}

absl::StatusOr<Bound> ParseComparison(absl::string_view text) {
  constexpr char kExpected[] = "accuracy>=-0.01 or accuracy>=-1%";
  std::optional<BoundText> parts = SplitBound(text);
  if (!parts.has_value()) return NotABound(text, kExpected);
  const bool is_share = absl::ConsumeSuffix(&parts->limit, "%");
  Bound& bound = parts->bound;
  if (!ParseLimit(parts->limit, &bound.limit)) {
    return NotABound(text, kExpected);
  }
  bound.of = is_share ? Bound::Of::kRelativeChange : Bound::Of::kChange;
  if (is_share) bound.limit /= 100;
  return std::move(bound);
}

absl::StatusOr<SliceSpec> ParseSlice(absl::string_view text) {
  SliceSpec spec;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> sides =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const std::string feature(sides[0]);
    if (feature.empty() || Contains(spec, feature)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", text,
          "' is not a slice such as island, island=Biscoe or island,sex"));
    }
    if (sides.size() == 1) {
      spec.features.push_back(feature);
    } else {
      spec.values[feature] = std::string(sides[1]);
    }
  }
  return spec;
}

}  // namespace rekindle
