// Internal to rekindle-trainer.
#ifndef REKINDLE_COMPONENT_TRAINING_FLAGS_H_
#define REKINDLE_COMPONENT_TRAINING_FLAGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rekindle {

using Flags = std::map<std::string, std::string>;

// Parses `--name=value` and `--name value`; `--kebab-case` is `--snake_case`.
// The names in `switches` take no value; `valued` take one.
//
//   INVALID_ARGUMENT  a flag is unknown, given twice, or misses its value; or
//                     an argument is no flag
absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& valued,
                                 const std::vector<std::string>& switches);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_FLAGS_H_
