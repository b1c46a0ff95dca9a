// Internal to rekindle-trainer.
#ifndef REKINDLE_COMPONENT_TRAINING_FLAGS_H_
#define REKINDLE_COMPONENT_TRAINING_FLAGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// Flags that were given, with their values. A plain value.
class Flags {
 public:
  bool Has(const std::string& name) const { return values_.contains(name); }

  // The value of a flag; `otherwise` when it was not given.
  std::string Get(const std::string& name,
                  const std::string& otherwise = "") const;

  // All values of a flag that may be repeated, in order.
  std::vector<std::string> All(const std::string& name) const;

  // INVALID_ARGUMENT  one of them was not given
  absl::Status Require(const std::vector<std::string>& names) const;

 private:
  friend class FlagParser;
  std::map<std::string, std::vector<std::string>> values_;
};

// Which flags there are.
struct FlagNames {
  std::vector<std::string> valued;    // take one value
  std::vector<std::string> repeated;  // take one, each time
  std::vector<std::string> switches;  // take none
};

// Parses `--name=value` and `--name value`; `--kebab-case` is `--snake_case`.
//
//   INVALID_ARGUMENT  a flag is unknown (the nearest is suggested), given
//                     twice, or misses its value; or an argument is no flag
absl::StatusOr<Flags> ParseFlags(const std::vector<std::string>& arguments,
                                 const FlagNames& names);

// `arguments`, which ParseFlags accepts, without the flags `names`, each of
// which takes a value.
std::vector<std::string> WithoutFlags(const std::vector<std::string>& arguments,
                                      const std::vector<std::string>& names);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_FLAGS_H_
