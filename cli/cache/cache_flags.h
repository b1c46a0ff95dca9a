#ifndef REKINDLE_CLI_CACHE_CACHE_FLAGS_H_
#define REKINDLE_CLI_CACHE_CACHE_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/flag_set.h"
#include "component/launch/step.h"
#include "component/launch/work_turn.h"

namespace rekindle {

// How a step uses the cache, the same flags on every step.
struct CacheFlags {
  bool no_cache = false;
  std::vector<std::string> ignored_inputs;
  absl::Duration max_age = absl::InfiniteDuration();

  void Bind(FlagSet& flags);

  // What they mean for the step of `spec`.
  //
  //   INVALID_ARGUMENT  an ignored input is none of the step's
  absl::StatusOr<CacheOptions> ToOptions(const StepSpec& spec) const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_CACHE_CACHE_FLAGS_H_
