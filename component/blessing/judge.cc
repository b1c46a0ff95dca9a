#include "component/blessing/judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

// How many bounds that were not kept a sentence names.
constexpr size_t kMaxTold = 3;
// A baseline closer to 0 than this has no share that could be told.
constexpr double kAlmostZero = 1e-9;

const SliceMetrics* FindSlice(const ModelMetrics& model, const SliceKey& key) {
  const auto found = std::find_if(
      model.slices.begin(), model.slices.end(),
      [&](const SliceMetrics& slice) { return slice.slice == key; });
  return found == model.slices.end() ? nullptr : &*found;
}

std::optional<double> FindMetric(const SliceMetrics* slice,
                                 const std::string& name) {
  if (slice == nullptr) return std::nullopt;
  const auto found = slice->metrics.find(name);
  if (found == slice->metrics.end()) return std::nullopt;
  return found->second;
}

// What the bound is for: the value, or how it differs from the baseline's.
std::optional<double> Measured(const Bound& bound, const SliceMetrics& slice,
                               const ModelMetrics* baseline) {
  const std::optional<double> value = FindMetric(&slice, bound.metric);
  if (!bound.is_comparison() || !value.has_value()) return value;
  const std::optional<double> before =
      FindMetric(FindSlice(*baseline, slice.slice), bound.metric);
  if (!before.has_value()) return std::nullopt;
  if (bound.of == Bound::Of::kChange) return *value - *before;
  if (std::abs(*before) < kAlmostZero) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return (*value - *before) / *before;
}

bool Keeps(const Bound& bound, double value) {
  return bound.side == Bound::Side::kAtLeast ? value >= bound.limit
                                             : value <= bound.limit;
}

bool IsFor(const Bound& bound, const SliceKey& slice) {
  return !bound.slices.has_value() || IsSliceOf(*bound.slices, slice);
}

absl::Status CheckIsMeasured(const Bound& bound, const ModelMetrics& model) {
  std::set<std::string> names;
  for (const SliceMetrics& slice : model.slices) {
    for (const auto& [name, value] : slice.metrics) names.insert(name);
  }
  if (names.contains(bound.metric)) return absl::OkStatus();
  const std::optional<std::string> nearest =
      NearestName(bound.metric, {names.begin(), names.end()});
  return absl::InvalidArgumentError(absl::StrCat(
      "the bound '", bound.ToString(), "' is of a metric that is not measured",
      nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                          : "; metrics.json of an evaluation lists them"));
}

// Looks at a bound in every slice it is for.
void Check(const Bound& bound, const ModelMetrics& candidate,
           const ModelMetrics* baseline, Judgement& judgement) {
  bool any = false;
  for (const SliceMetrics& slice : candidate.slices) {
    if (!IsFor(bound, slice.slice)) continue;
    any = true;
    BoundCheck check = {bound, slice.slice, Measured(bound, slice, baseline)};
    check.kept = check.value.has_value() && Keeps(bound, *check.value);
    judgement.checks.push_back(std::move(check));
  }
  if (!any) judgement.without_slice.push_back(bound);
}

std::string SlicesText(const Bound& bound) {
  std::string text;
  for (const std::string& feature : bound.slices->features) {
    absl::StrAppend(&text, text.empty() ? "" : ",", feature);
  }
  for (const auto& [feature, value] : bound.slices->values) {
    absl::StrAppend(&text, text.empty() ? "" : ",", feature, "=", value);
  }
  return text;
}

// Why the model is not blessed, one clause for each bound.
std::vector<std::string> Objections(const Judgement& judgement) {
  std::vector<std::string> objections;
  for (const BoundCheck& check : judgement.checks) {
    if (!check.kept) objections.push_back(check.ToString());
  }
  for (const Bound& bound : judgement.without_slice) {
    objections.push_back(absl::StrCat("no example is in a slice ",
                                      SlicesText(bound), ", for which '",
                                      bound.ToString(), "' was asked"));
  }
  return objections;
}

std::string InOneSentence(const std::vector<std::string>& objections) {
  std::string text;
  const size_t told = std::min(objections.size(), kMaxTold);
  for (size_t i = 0; i < told; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", objections[i]);
  }
  const size_t untold = objections.size() - told;
  if (untold > 0) absl::StrAppend(&text, "; and ", untold, " more");
  return text;
}

std::string WhyNotJudged(const Judgement& judgement) {
  if (!judgement.rubber_stamp) return "no threshold was given";
  return "there is no baseline model to compare with, and no threshold was "
         "given";
}

}  // namespace

std::string BoundCheck::ToString() const {
  const std::string where =
      slice.empty() ? "" : absl::StrCat(" in ", SliceKeyText(slice));
  const std::string what = bound.is_comparison()
                               ? absl::StrCat("the change of ", bound.metric)
                               : bound.metric;
  if (!value.has_value()) {
    return absl::StrCat(what, " was not measured", where, ", expected ",
                        bound.ToString());
  }
  return absl::StrCat(what, " is ", *value, where, ", expected ",
                      bound.ToString());
}

absl::StatusOr<Judgement> Judge(const std::vector<Bound>& bounds,
                                const ModelMetrics& candidate,
                                const ModelMetrics* baseline) {
  Judgement judgement;
  for (const Bound& bound : bounds) {
    RK_RETURN_IF_ERROR(CheckIsMeasured(bound, candidate));
    if (bound.is_comparison() && baseline == nullptr) {
      judgement.rubber_stamp = true;
      continue;
    }
    Check(bound, candidate, baseline, judgement);
  }
  if (judgement.checks.empty() && judgement.without_slice.empty()) {
    judgement.reason = WhyNotJudged(judgement);
    return judgement;
  }
  const std::vector<std::string> objections = Objections(judgement);
  judgement.verdict =
      objections.empty() ? Verdict::kBlessed : Verdict::kNotBlessed;
  judgement.reason = objections.empty()
                         ? absl::StrCat("all bounds are kept, ",
                                        judgement.checks.size(), " checked")
                         : InOneSentence(objections);
  return judgement;
}

}  // namespace rekindle
