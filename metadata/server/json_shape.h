// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_JSON_SHAPE_H_
#define REKINDLE_METADATA_SERVER_JSON_SHAPE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// How deep a request may nest, and how many values it may have. Three bytes of
// JSON, "{},", become some two hundred of memory.
inline constexpr int kMaxJsonDepth = 100;
inline constexpr int kMaxJsonValues = 500'000;

// Refuses what would cost much more to parse than it has bytes. Whether `text`
// is JSON it does not say.
//
//   INVALID_ARGUMENT  too deep or too many
absl::Status CheckJsonShape(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_JSON_SHAPE_H_
