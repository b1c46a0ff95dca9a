#include "component/data/input_format.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/data/input_files.h"

namespace rekindle {
namespace {

std::optional<InputFormat> FormatByName(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  if (absl::EndsWith(name, ".csv") || absl::EndsWith(name, ".csv.gz")) {
    return InputFormat::kCsv;
  }
  if (absl::StrContains(name, "tfrecord")) return InputFormat::kTfRecord;
  return std::nullopt;
}

bool TakesAnyFile(const InputSplit& split) { return split.pattern == "*"; }

absl::Status NothingThere(const InputFiles& input) {
  return absl::NotFoundError(absl::StrCat(
      "there is no .csv file in ", input.base, ", and no TFRecord file"));
}

// What the names of all files speak of; of a split of any file, those that
// speak of no format do not count.
absl::StatusOr<InputFormat> SpokenFormat(const InputFiles& input) {
  std::set<std::optional<InputFormat>> spoken;
  for (const InputSplit& split : input.splits) {
    for (const std::string& file : split.files) {
      const std::optional<InputFormat> format = FormatByName(file);
      if (format.has_value() || !TakesAnyFile(split)) spoken.insert(format);
    }
  }
  if (spoken.size() == 1 && spoken.begin()->has_value()) {
    return **spoken.begin();
  }
  if (spoken.empty()) return NothingThere(input);
  return absl::InvalidArgumentError(absl::StrCat(
      "the names of the files in ", input.base,
      " do not say whether they are CSV or TFRecord; --input-format does"));
}

}  // namespace

absl::StatusOr<InputFormat> ChooseFormat(
    const std::optional<InputFormat>& given, InputFiles& input) {
  InputFormat format = given.value_or(InputFormat::kCsv);
  if (!given.has_value()) {
    RK_ASSIGN_OR_RETURN(format, SpokenFormat(input));
  }
  for (InputSplit& split : input.splits) {
    if (!TakesAnyFile(split)) continue;
    const std::vector<std::string> all = split.files;
    std::erase_if(split.files, [format](const std::string& file) {
      return FormatByName(file) != format;
    });
    // A format that is given counts more than any name.
    if (split.files.empty()) split.files = all;
    if (split.files.empty()) return NothingThere(input);
  }
  return format;
}

}  // namespace rekindle
