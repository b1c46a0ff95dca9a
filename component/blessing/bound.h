#ifndef REKINDLE_COMPONENT_BLESSING_BOUND_H_
#define REKINDLE_COMPONENT_BLESSING_BOUND_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/contract/slices.h"

namespace rekindle {

// What a metric must keep for its model to be blessed. A plain value.
struct Bound {
  enum class Side { kAtLeast, kAtMost };
  enum class Of {
    kValue,
    kChange,         // the candidate's value minus the baseline's
    kRelativeChange  // the same as a share of the baseline's
  };

  std::string metric;  // "accuracy", "recall/Adelie"
  Side side = Side::kAtLeast;
  double limit = 0;  // may be reached
  Of of = Of::kValue;
  // The slices that must keep it, at least one of which must be in the data; an
  // empty spec is the slice of all examples. Absent: every slice that is.
  std::optional<SliceSpec> slices = SliceSpec{};

  bool is_comparison() const { return of != Of::kValue; }

  // "accuracy >= 0.9", "accuracy - baseline >= -1%".
  std::string ToString() const;

  bool operator==(const Bound&) const = default;
};

// "accuracy>=0.9", "log_loss<=0.3": the value itself.
//
//   INVALID_ARGUMENT  it is not of this form
absl::StatusOr<Bound> ParseThreshold(absl::string_view text);

// "accuracy>=-0.01": at most so much worse than the baseline; "accuracy>=-1%"
// as a share of the baseline's.
//
//   INVALID_ARGUMENT  it is not of this form
absl::StatusOr<Bound> ParseComparison(absl::string_view text);

// "island", "island=Biscoe", "island,sex=MALE": a slice for each value, for the
// one value, for each combination.
//
//   INVALID_ARGUMENT  it is not of this form
absl::StatusOr<SliceSpec> ParseSlice(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_BLESSING_BOUND_H_
