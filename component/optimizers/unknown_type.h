#ifndef REKINDLE_COMPONENT_OPTIMIZERS_UNKNOWN_TYPE_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_UNKNOWN_TYPE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"

namespace rekindle {

// Says that `type` is not one of the kinds of `what`, and which are.
inline absl::Status UnknownType(const std::string& what,
                                const std::string& type,
                                const std::vector<std::string>& known) {
  const auto nearest = NearestName(type, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no ", what, " of type '", type, "'",
      nearest ? absl::StrCat("; did you mean '", *nearest, "'?") : "",
      " (known: ", absl::StrJoin(known, ", "), ")"));
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_UNKNOWN_TYPE_H_
