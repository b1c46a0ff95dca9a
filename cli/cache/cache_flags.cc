#include "cli/cache/cache_flags.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/flag_set.h"
#include "component/launch/step.h"
#include "component/launch/work_turn.h"

namespace rekindle {

void CacheFlags::Bind(FlagSet& flags) {
  flags.Bool("no-cache", &no_cache,
             "compute, even if an earlier run has the same outputs; later runs "
             "may reuse them");
  flags.Strings("cache-ignore-input", "KEY", &ignored_inputs,
                "reuse outputs even if they were made from another KEY");
  flags.Duration("cache-max-age", &max_age,
                 "reuse no outputs that are older than this");
}

absl::StatusOr<CacheOptions> CacheFlags::ToOptions(const StepSpec& spec) const {
  CacheOptions options;
  options.look_up = !no_cache;
  options.max_age = max_age;
  std::vector<std::string> keys;
  for (const InputSpec& input : spec.inputs) keys.push_back(input.key);
  for (const std::string& given : ignored_inputs) {
    const std::string key = absl::StrReplaceAll(given, {{"-", "_"}});
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--cache-ignore-input: this step has no input '", given, "'; it has ",
          keys.empty() ? "none" : absl::StrJoin(keys, ", ")));
    }
    options.ignored_inputs.insert(key);
  }
  return options;
}

}  // namespace rekindle
