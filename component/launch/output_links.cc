#include "component/launch/output_links.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/name_suffix.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> LinksIn(const std::string& folder) {
  std::vector<fs::path> links;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_symlink(gone)) links.push_back(at->path());
  }
  return links;
}

// `path` as seen from the folder, however that is called; nullopt if it is not
// in it. Goes by the names alone.
std::optional<fs::path> PlaceIn(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  for (const fs::path& name : {folder, fs::canonical(folder, error)}) {
    if (name.empty()) continue;
    fs::path relative = path.lexically_relative(name);
    if (!relative.empty() && *relative.begin() != "..") return relative;
  }
  return std::nullopt;
}

// Whether the text, read at the link, goes by a path that is not in the folder.
bool GoesOutside(const fs::path& link, const fs::path& text,
                 const fs::path& folder) {
  if (text.is_absolute()) return true;
  const fs::path from_folder =
      (link.parent_path().lexically_relative(folder) / text).lexically_normal();
  return *from_folder.begin() == "..";
}

absl::Status Relink(const fs::path& link, const fs::path& text) {
  const fs::path temporary =
      absl::StrCat(link.string(), ".", RandomNameSuffix());
  std::error_code error;
  fs::create_symlink(text, temporary, error);
  if (!error) fs::rename(temporary, link, error);
  if (!error) return absl::OkStatus();
  return ErrnoStatus(error.value(), "make the link relative:", link.string());
}

absl::Status KeepLink(const fs::path& link, const fs::path& folder,
                      const std::vector<std::string>& passing) {
  std::error_code error;
  const fs::path text = fs::read_symlink(link, error);
  if (error || !GoesOutside(link, text, folder)) return absl::OkStatus();
  const fs::path target = (link.parent_path() / text).lexically_normal();
  if (const auto place = PlaceIn(folder, target)) {
    return Relink(link,
                  (folder / *place).lexically_relative(link.parent_path()));
  }
  const bool passes = std::any_of(passing.begin(), passing.end(),
                                  [&target](const std::string& other) {
                                    return PlaceIn(other, target).has_value();
                                  });
  if (!passes) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      link.string(), " is a link to ", text.string(),
      ", which will not be there once the step has ended; copy it instead"));
}

}  // namespace

absl::Status KeepLinksInside(const std::string& folder,
                             const std::vector<std::string>& passing) {
  for (const fs::path& link : LinksIn(folder)) {
    RK_RETURN_IF_ERROR(KeepLink(link, folder, passing));
  }
  return absl::OkStatus();
}

}  // namespace rekindle
