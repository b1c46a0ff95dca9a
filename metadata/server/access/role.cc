#include "metadata/server/access/role.h"

#include <array>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

constexpr std::array<absl::string_view, 4> kNames = {"reader", "step", "writer",
                                                     "admin"};

}  // namespace

absl::string_view RoleName(Role role) {
  return kNames.at(static_cast<size_t>(role));
}

absl::StatusOr<Role> ParseRole(absl::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<Role>(i);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", name, "' is not a role; write reader, step, writer or admin"));
}

}  // namespace rekindle
