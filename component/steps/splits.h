#ifndef REKINDLE_COMPONENT_STEPS_SPLITS_H_
#define REKINDLE_COMPONENT_STEPS_SPLITS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// TFX's rule: letters, digits, '-' and '_', the first one a letter or digit.
// The empty name is one.
bool IsSplitName(absl::string_view name);

// The splits that an Examples artifact declares, in order.
//
//   FAILED_PRECONDITION  its split_names property is missing or no JSON list
absl::StatusOr<std::vector<std::string>> SplitNames(
    const ml_metadata::Artifact& examples);

// Glob patterns for the files of `wanted` splits, as TFX's FnArgs has them: for
// each split one of every artifact.
//
//   INVALID_ARGUMENT  an artifact has no such split
absl::StatusOr<std::vector<std::string>> SplitPatterns(
    const std::vector<ml_metadata::Artifact>& examples,
    const std::vector<std::string>& wanted);

// The regular files in `folder`, sorted; hidden ones are left out.
//
//   NOT_FOUND  there is no such folder
absl::StatusOr<std::vector<std::string>> ListFiles(const std::string& folder);

// The one file of a Schema or HyperParameters artifact.
//
//   FAILED_PRECONDITION  INPUT_UNUSABLE: it holds none, or more than one
absl::StatusOr<std::string> OnlyFileIn(const ml_metadata::Artifact& artifact);

// FAILED_PRECONDITION, INPUT_UNUSABLE: names the artifact before `problem`.
absl::Status UnusableInput(const ml_metadata::Artifact& artifact,
                           absl::string_view problem);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SPLITS_H_
