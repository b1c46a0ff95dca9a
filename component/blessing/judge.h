#ifndef REKINDLE_COMPONENT_BLESSING_JUDGE_H_
#define REKINDLE_COMPONENT_BLESSING_JUDGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/blessing/bound.h"
#include "component/contract/evaluation_output.h"
#include "component/contract/slices.h"

namespace rekindle {

enum class Verdict {
  kBlessed,
  kNotBlessed,
  kNotJudged,  // there was no bound to keep
};

// What a model was measured to be against one bound, in one slice.
struct BoundCheck {
  Bound bound;
  SliceKey slice;
  // Absent: it was not measured there.
  std::optional<double> value;
  bool kept = false;

  // "accuracy is 0.85 in island=Biscoe, expected accuracy >= 0.9".
  std::string ToString() const;
};

// Whether a model is good enough, and why. A plain value.
struct Judgement {
  Verdict verdict = Verdict::kNotJudged;
  std::string reason;  // one sentence
  std::vector<BoundCheck> checks;
  // Bounds of slices that the data has not.
  std::vector<Bound> without_slice;
  // Comparisons were left out: there is no model to compare with.
  bool rubber_stamp = false;
};

// Holds what was measured against the bounds, as TensorFlow Model Analysis
// does: every bound must be kept in every slice it is for, one that is for a
// slice which the data has not is not kept, and NaN keeps none. Comparisons
// count only if there is a baseline, which may be null; without any bound that
// counts nothing is judged. Pure.
//
//   INVALID_ARGUMENT  a bound's metric was not measured at all
absl::StatusOr<Judgement> Judge(const std::vector<Bound>& bounds,
                                const ModelMetrics& candidate,
                                const ModelMetrics* baseline);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_BLESSING_JUDGE_H_
