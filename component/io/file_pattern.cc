#include "component/io/file_pattern.h"

#include <cstddef>
#include <glob.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

std::vector<std::string> FilesLike(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  // GLOB_MARK ends the names of folders with a slash.
  if (glob(pattern.c_str(), GLOB_MARK, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      std::string path = found.gl_pathv[i];
      if (!path.ends_with('/')) files.push_back(std::move(path));
    }
  }
  globfree(&found);
  return files;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandPatterns(
    const std::vector<std::string>& patterns) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> found = FilesLike(pattern);
    if (found.empty()) {
      return absl::NotFoundError(
          absl::StrCat("no file matches '", pattern, "'"));
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace rekindle
