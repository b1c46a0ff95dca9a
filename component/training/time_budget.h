// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_TIME_BUDGET_H_
#define REKINDLE_COMPONENT_TRAINING_TIME_BUDGET_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {

// Says when to stop training so that a checkpoint, the evaluation and the
// export still fit before a deadline. What they will take is estimated from
// what was measured, with a margin. Thread-compatible.
class TimeBudget {
 public:
  explicit TimeBudget(absl::Time deadline) : deadline_(deadline) {}

  bool limited() const { return deadline_ != absl::InfiniteFuture(); }

  // What was measured of this run; the longest counts.
  void MeasuredSession(absl::Duration took) { Keep(took, session_); }
  void MeasuredEvaluation(absl::Duration took) { Keep(took, evaluation_); }
  void MeasuredCheckpoint(absl::Duration took) { Keep(took, checkpoint_); }
  void MeasuredStep(absl::Duration took) { Keep(took, step_); }

  // What has to be left when training stops.
  absl::Duration Reserve() const;

  // Whether one more step might not fit.
  bool IsUsedUp(absl::Time now) const;

 private:
  static void Keep(absl::Duration took, absl::Duration& longest);

  absl::Time deadline_;
  absl::Duration session_;
  absl::Duration evaluation_;
  absl::Duration checkpoint_;
  absl::Duration step_;
};

// The deadline of an executor input: RFC 3339, or empty for none, which is
// absl::InfiniteFuture().
//
//   INVALID_ARGUMENT  it is not a time
absl::StatusOr<absl::Time> ParseInputDeadline(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_TIME_BUDGET_H_
