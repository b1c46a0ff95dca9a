#ifndef REKINDLE_COMPONENT_LAUNCH_STEP_DEADLINE_H_
#define REKINDLE_COMPONENT_LAUNCH_STEP_DEADLINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {

// When a step must have ended: `text` is a duration from `now` ("90m") or a
// time in RFC 3339. The empty text and Go's zero time, which is what Argo
// writes for "none", mean never: absl::InfiniteFuture().
//
//   INVALID_ARGUMENT  it is neither
absl::StatusOr<absl::Time> ParseDeadline(absl::string_view text,
                                         absl::Time now);

// How a child is stopped in time.
struct StopPlan {
  absl::Time stop_at = absl::InfiniteFuture();  // SIGTERM, and then
  absl::Duration grace;                         // SIGKILL
};

// A child is asked to stop one grace period before the step's deadline. What is
// left after a child that ended by itself until then is for publishing. Of a
// short time at most a quarter is kept back.
StopPlan PlanStop(absl::Time deadline, absl::Duration grace, absl::Time now);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STEP_DEADLINE_H_
