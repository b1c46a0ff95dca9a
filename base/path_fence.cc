#include "base/path_fence.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

bool IsAtOrBelow(const std::string& path, const std::string& place) {
  return path == place ||
         absl::StartsWith(path,
                          absl::StrCat(absl::StripSuffix(place, "/"), "/"));
}

}  // namespace

std::string RealPath(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (path.empty() || error) return "";
  const std::string real = fs::weakly_canonical(absolute, error);
  if (error) return "";
  return real == "/" ? real : std::string(absl::StripSuffix(real, "/"));
}

PathFence::PathFence(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    std::string real = RealPath(place);
    if (!real.empty()) places_.push_back(std::move(real));
  }
}

bool PathFence::Holds(const std::string& path) const {
  const std::string real = RealPath(path);
  return std::any_of(
      places_.begin(), places_.end(),
      [&real](const std::string& place) { return IsAtOrBelow(real, place); });
}

}  // namespace rekindle
