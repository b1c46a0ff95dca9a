#ifndef REKINDLE_COMPONENT_RESOLVE_SPAN_RANGE_H_
#define REKINDLE_COMPONENT_RESOLVE_SPAN_RANGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/strategy.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The span of an artifact: its custom property `span`, else its property
// `span`, an integer or the text of one.
//
//   NOT_FOUND         it has none
//   INVALID_ARGUMENT  its span is not a whole number
absl::StatusOr<int64_t> SpanOf(const ml_metadata::Artifact& artifact);

// All artifacts whose span is in the range, the highest span first and, within
// a span, the lowest id first. As TFX's SpanRangeStrategy with a static range.
Strategy SpansBetween(const ArtifactRef::SpanRange& range);

// The same with a rolling range: up to the highest span that has a usable
// artifact, `count` numbers long whether or not each is a span, and beginning
// no lower than `from`.
Strategy NewestSpans(const ArtifactRef::NewestSpans& range);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_SPAN_RANGE_H_
