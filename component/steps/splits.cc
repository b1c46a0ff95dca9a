#include "component/steps/splits.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/launch/failure.h"
#include "component/launch/tfx_names.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

absl::Status CheckHasSplit(const ml_metadata::Artifact& examples,
                           const std::string& split) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      SplitNames(examples));
  if (std::find(names.begin(), names.end(), split) != names.end()) {
    return absl::OkStatus();
  }
  return WithReason(FailureReason::kInputUnusable,
                    absl::InvalidArgumentError(absl::StrCat(
                        "artifact ", examples.id(), " has no split '", split,
                        "'; it has: ", absl::StrJoin(names, ", "))));
}

}  // namespace

bool IsSplitName(absl::string_view name) {
  return name.empty() || (absl::ascii_isalnum(name.front()) &&
                          std::all_of(name.begin(), name.end(), [](char c) {
                            return absl::ascii_isalnum(c) || c == '_' ||
                                   c == '-';
                          }));
}

absl::StatusOr<std::vector<std::string>> SplitNames(
    const ml_metadata::Artifact& examples) {
  const auto property = examples.properties().find("split_names");
  if (property != examples.properties().end()) {
    const auto names =
        nlohmann::json::parse(property->second.string_value(), nullptr,
                              /*allow_exceptions=*/false);
    if (names.is_array() &&
        std::all_of(names.begin(), names.end(),
                    [](const auto& name) { return name.is_string(); })) {
      auto splits = names.get<std::vector<std::string>>();
      const auto bad =
          std::find_if_not(splits.begin(), splits.end(), IsSplitName);
      if (bad == splits.end()) return splits;
      return absl::FailedPreconditionError(
          absl::StrCat("artifact ", examples.id(), " names a split '", *bad,
                       "'; such a name has letters, digits, '_' and '-'"));
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("artifact ", examples.id(),
                   " has no property split_names that holds a JSON list of "
                   "names; it was not written by an example-gen step"));
}

absl::StatusOr<std::vector<std::string>> SplitPatterns(
    const std::vector<ml_metadata::Artifact>& examples,
    const std::vector<std::string>& wanted) {
  std::vector<std::string> patterns;
  for (const std::string& split : wanted) {
    for (const ml_metadata::Artifact& artifact : examples) {
      RK_RETURN_IF_ERROR(CheckHasSplit(artifact, split));
      patterns.push_back(absl::StrCat(SplitDir(artifact, split), "/*"));
    }
  }
  return patterns;
}

absl::StatusOr<std::vector<std::string>> ListFiles(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file() &&
        !absl::StartsWith(entry.path().filename().string(), ".")) {
      files.push_back(entry.path());
    }
  }
  if (error) return ErrnoStatus(error.value(), "list", folder);
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::string> OnlyFileIn(const ml_metadata::Artifact& artifact) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ListFiles(artifact.uri()));
  if (files.size() == 1) return files.front();
  return UnusableInput(
      artifact, absl::StrCat("at ", artifact.uri(), " holds ", files.size(),
                             " files; it must hold exactly one"));
}

absl::Status UnusableInput(const ml_metadata::Artifact& artifact,
                           absl::string_view problem) {
  return WithReason(
      FailureReason::kInputUnusable,
      absl::FailedPreconditionError(absl::StrCat(artifact.type(), " artifact ",
                                                 artifact.id(), " ", problem)));
}

}  // namespace rekindle
