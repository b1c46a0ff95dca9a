#include "component/resolve/span_range.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/strategy.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

constexpr char kSpan[] = "span";

absl::StatusOr<Rank> RankBySpan(const Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const int64_t span, SpanOf(artifact));
  return Rank{static_cast<double>(span), -artifact.id()};
}

// `lowest` answers, for those taken so far, where the range begins.
template <typename Lowest>
Strategy BySpan(Lowest lowest, int64_t last) {
  Strategy strategy;
  strategy.order = Strategy::Order::kRankDescending;
  strategy.rank = RankBySpan;
  strategy.consider = [lowest, last](const Artifact& next,
                                     const Strategy::Artifacts& taken) {
    const int64_t span = SpanOf(next).value_or(-1);
    if (span < lowest(taken)) return Opinion::Enough();
    if (span > last) {
      return Opinion::PassOver(
          absl::StrCat("its span is ", span, ", after ", last));
    }
    return Opinion::Take(absl::StrCat("its span is ", span));
  };
  return strategy;
}

}  // namespace

absl::StatusOr<int64_t> SpanOf(const Artifact& artifact) {
  const ml_metadata::Value* value = FindCustomProperty(artifact, kSpan);
  if (value == nullptr) {
    const auto declared = artifact.properties().find(kSpan);
    if (declared == artifact.properties().end()) {
      return absl::NotFoundError("it has no span");
    }
    value = &declared->second;
  }
  int64_t span = 0;
  if (value->has_int_value()) return value->int_value();
  if (value->has_string_value() &&
      absl::SimpleAtoi(value->string_value(), &span)) {
    return span;
  }
  return absl::InvalidArgumentError("its span is not a whole number");
}

Strategy SpansBetween(const ArtifactRef::SpanRange& range) {
  const int64_t first = range.first;
  return BySpan([first](const Strategy::Artifacts&) { return first; },
                range.last);
}

Strategy NewestSpans(const ArtifactRef::NewestSpans& range) {
  const auto lowest = [range](const Strategy::Artifacts& taken) {
    if (taken.empty()) return range.from;
    // They come highest first.
    const int64_t newest = SpanOf(taken.front()).value_or(0);
    return std::max(range.from, newest - range.count + 1);
  };
  return BySpan(lowest, std::numeric_limits<int64_t>::max());
}

}  // namespace rekindle
