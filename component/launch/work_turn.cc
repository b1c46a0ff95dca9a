#include "component/launch/work_turn.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/step_store.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using rekindle::v1::StartWorkResponse;

// Between two looks at what another execution is doing: short at first, for
// work that takes no time, and never a burden on the store.
constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
constexpr absl::Duration kLongestPause = absl::Seconds(1);

// Waits, but not when asked to stop.
absl::Status Pause(absl::Duration duration, const WorkTurn& turn) {
  turn.time.wait(duration, turn.stop_fds);
  return turn.check_stop();
}

absl::StatusOr<StartWorkResponse> AskForWork(const WorkTurn& turn,
                                             StepStore& steps) {
  rekindle::v1::StartWorkRequest request;
  request.set_execution_id(turn.execution_id);
  request.set_token(turn.token);
  request.set_work_key(turn.key);
  return steps.StartWork(request);
}

absl::StatusOr<CacheAnswer> Look(const WorkTurn& turn,
                                 const CacheOptions& options,
                                 const MetadataStore& metadata) {
  return RetryWhileTransient(Backoff(turn.store_backoff), [&] {
    return LookUp(turn.key, {options.max_age, turn.time.Now(), turn.files},
                  metadata);
  });
}

}  // namespace

absl::StatusOr<CacheAnswer> AwaitTurn(const WorkTurn& turn,
                                      const CacheOptions& options,
                                      const MetadataStore& metadata,
                                      StepStore& steps) {
  if (!options.look_up) {
    // Others may wait for it; it waits for nobody.
    RK_RETURN_IF_ERROR(AskForWork(turn, steps).status());
    return CacheAnswer{};
  }
  bool noted = false;
  for (absl::Duration pause = kFirstPause;;
       pause = std::min(2 * pause, kLongestPause)) {
    RK_ASSIGN_OR_RETURN(CacheAnswer answer, Look(turn, options, metadata));
    if (answer.hit.has_value()) return answer;
    RK_ASSIGN_OR_RETURN(const StartWorkResponse work, AskForWork(turn, steps));
    // Whoever worked until a moment ago may have published since.
    if (work.granted()) return Look(turn, options, metadata);
    if (!noted && turn.note) {
      turn.note(absl::StrCat("waiting: execution ", work.worker_execution_id(),
                             ", run by ", work.worker_owner(),
                             ", is computing the same outputs"));
      noted = true;
    }
    RK_RETURN_IF_ERROR(Pause(pause, turn));
  }
}

}  // namespace rekindle
