#include "rekindle/training/registry.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"

namespace rekindle {

absl::Status NotRegistered(const std::string& kind, const std::string& name,
                           const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = NearestName(name, names);
  return absl::NotFoundError(absl::StrCat(
      "there is no ", kind, " '", name, "'; ",
      nearest.has_value() ? absl::StrCat("did you mean '", *nearest, "'? ")
                          : "",
      "registered: ", names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

absl::Status RegisteredTwice(const std::string& kind, const std::string& name) {
  return absl::AlreadyExistsError(absl::StrCat(
      "two ", kind, "s are registered as '", name, "': rename one of them"));
}

}  // namespace rekindle
