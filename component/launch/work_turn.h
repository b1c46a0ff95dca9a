#ifndef REKINDLE_COMPONENT_LAUNCH_WORK_TURN_H_
#define REKINDLE_COMPONENT_LAUNCH_WORK_TURN_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "component/cache/cache.h"
#include "component/launch/step_time.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/step_store.h"

namespace rekindle {

// How a step uses the cache.
struct CacheOptions {
  // Whether it looks for outputs of earlier executions. Its own outputs can be
  // found by later ones either way.
  bool look_up = true;
  // Inputs whose contents do not count, by key.
  std::set<std::string> ignored_inputs;
  // How old outputs may be.
  absl::Duration max_age = absl::InfiniteDuration();
};

// A claimed step that is about to work.
struct WorkTurn {
  int64_t execution_id = 0;
  int64_t token = 0;
  std::string key;  // of its work
  FileRules files;  // whose outputs may stand for its own
  // As in StepContext.
  std::vector<int> stop_fds;
  std::function<absl::Status()> check_stop;
  // What a person should know meanwhile.
  std::function<void(absl::string_view line)> note;
  // How long to wait for a store that is away; `steps` waits by itself.
  Backoff::Options store_backoff;
  StepTime time;
};

// Waits until the step's outputs are those of an earlier execution, or it is
// this step's turn to compute them: of several with the same work one computes,
// and the others wait for it. A step that does not look up never waits.
//
//   CANCELLED, ABORTED, ...  what `check_stop` answered
absl::StatusOr<CacheAnswer> AwaitTurn(const WorkTurn& turn,
                                      const CacheOptions& options,
                                      const MetadataStore& metadata,
                                      StepStore& steps);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_WORK_TURN_H_
