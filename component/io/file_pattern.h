#ifndef REKINDLE_COMPONENT_IO_FILE_PATTERN_H_
#define REKINDLE_COMPONENT_IO_FILE_PATTERN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rekindle {

// The files that match any of `patterns` (shell wildcards), sorted by name
// within each pattern. Folders are left out.
//
//   NOT_FOUND  a pattern matches no file
absl::StatusOr<std::vector<std::string>> ExpandPatterns(
    const std::vector<std::string>& patterns);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_FILE_PATTERN_H_
