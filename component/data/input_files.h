#ifndef REKINDLE_COMPONENT_DATA_INPUT_FILES_H_
#define REKINDLE_COMPONENT_DATA_INPUT_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/data/input_pattern.h"

namespace rekindle {

// A named part of the input: the files below a folder that match a pattern.
struct InputSplit {
  std::string name;
  std::string pattern;             // relative to the folder
  std::vector<std::string> files;  // sorted
};

// The input of one span and version.
struct InputFiles {
  std::string base;                // the folder
  std::vector<InputSplit> splits;  // their patterns name the span and version
  SpanVersion chosen;

  std::vector<std::string> AllFiles() const;

  // What TFX calls the input's fingerprint: changes when a file is added,
  // removed, resized or touched.
  std::string Fingerprint() const;
};

// Which span and version are wanted; without a number, the latest.
struct SpanChoice {
  std::optional<int64_t> span;
  std::optional<int64_t> version;
};

// Finds the files of the wanted span and version. The patterns of all splits
// must agree on whether there are spans and versions, and on the latest.
//
//   INVALID_ARGUMENT     a pattern is wrong, or a span or version is wanted of
//                        patterns that name none
//   NOT_FOUND            no file matches, or none of the wanted span or version
//   FAILED_PRECONDITION  the latest span or version of one split is not that
//                        of another
absl::StatusOr<InputFiles> FindInputFiles(const std::string& base,
                                          std::vector<InputSplit> splits,
                                          const SpanChoice& wanted);

// The same for a path, as people type it, as the one split `single_split`: a
// file, a folder (all its files, maybe none), or a pattern.
absl::StatusOr<InputFiles> FindInputFiles(const std::string& path,
                                          const SpanChoice& wanted);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_INPUT_FILES_H_
