#include "component/data/feature_collector.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "component/data/histograms.h"
#include "component/data/quantile_sketch.h"
#include "component/data/value_counts.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;

// As many as TFDV writes by default.
constexpr size_t kTopValues = 20;
constexpr size_t kRanks = 1000;
// What TFDV writes for a string that a message cannot hold.
constexpr char kInvalidUtf8[] = "__BYTES_VALUE__";

}  // namespace

absl::Status FeatureCollector::Note(Type type, size_t values) {
  if (values == 0) return absl::OkStatus();
  if (present_ > 0 && type != type_) {
    return absl::FailedPreconditionError(absl::StrCat(
        "is ", tfmd::FeatureNameStatistics::Type_Name(type_),
        " in some examples and ", tfmd::FeatureNameStatistics::Type_Name(type),
        " in others; a feature must have one type"));
  }
  type_ = type;
  ++present_;
  values_ += values;
  lengths_.Add(static_cast<double>(values));
  return absl::OkStatus();
}

absl::Status FeatureCollector::AddInts(std::span<const int64_t> values) {
  RK_RETURN_IF_ERROR(Note(tfmd::FeatureNameStatistics::INT, values.size()));
  for (const int64_t value : values) AddNumber(static_cast<double>(value));
  return absl::OkStatus();
}

absl::Status FeatureCollector::AddFloats(std::span<const float> values) {
  RK_RETURN_IF_ERROR(Note(tfmd::FeatureNameStatistics::FLOAT, values.size()));
  for (const float value : values) AddNumber(value);
  return absl::OkStatus();
}

void FeatureCollector::AddNumber(double value) {
  if (std::isnan(value)) {
    ++nans_;
    return;
  }
  numbers_.Add(value);
  sum_ += value;
  if (value == 0) ++zeros_;
  if (std::isinf(value)) return;
  ++finite_;
  const double from_old_mean = value - mean_;
  mean_ += from_old_mean / static_cast<double>(finite_);
  deviations_ += from_old_mean * (value - mean_);
}

absl::Status FeatureCollector::AddStrings(
    std::span<const absl::string_view> values) {
  RK_RETURN_IF_ERROR(Note(tfmd::FeatureNameStatistics::STRING, values.size()));
  for (const absl::string_view value : values) {
    const bool is_valid = IsValidUtf8(value);
    counts_.Add(is_valid ? value : kInvalidUtf8);
    bytes_ += value.size();
    if (!is_valid) ++invalid_utf8_;
  }
  return absl::OkStatus();
}

tfmd::CommonStatistics FeatureCollector::Common(uint64_t examples) const {
  tfmd::CommonStatistics common;
  common.set_num_non_missing(present_);
  // A feature that an example names twice is present twice.
  common.set_num_missing(examples - std::min(examples, present_));
  common.set_tot_num_values(values_);
  if (present_ == 0) return common;
  const auto lengths = lengths_.Sorted();
  common.set_min_num_values(static_cast<uint64_t>(lengths.front().value));
  common.set_max_num_values(static_cast<uint64_t>(lengths.back().value));
  common.set_avg_num_values(static_cast<float>(static_cast<double>(values_) /
                                               static_cast<double>(present_)));
  *common.mutable_num_values_histogram() = QuantilesHistogram(lengths);
  return common;
}

tfmd::NumericStatistics FeatureCollector::Numeric(uint64_t examples) const {
  tfmd::NumericStatistics numeric;
  *numeric.mutable_common_stats() = Common(examples);
  if (values_ == 0) return numeric;
  numeric.set_num_zeros(zeros_);
  const auto sorted = numbers_.Sorted();
  if (!sorted.empty()) {
    const bool all_finite = finite_ == numbers_.count();
    numeric.set_mean(all_finite ? mean_
                                : sum_ / static_cast<double>(numbers_.count()));
    numeric.set_std_dev(
        all_finite ? std::sqrt(deviations_ / static_cast<double>(finite_))
                   : std::nan(""));
    numeric.set_min(sorted.front().value);
    numeric.set_median(QuantileOf(sorted, 0.5));
    numeric.set_max(sorted.back().value);
  }
  *numeric.add_histograms() = StandardHistogram(sorted);
  *numeric.add_histograms() = QuantilesHistogram(sorted);
  for (tfmd::Histogram& histogram : *numeric.mutable_histograms()) {
    histogram.set_num_nan(nans_);
  }
  return numeric;
}

tfmd::StringStatistics FeatureCollector::Strings(uint64_t examples) const {
  tfmd::StringStatistics strings;
  *strings.mutable_common_stats() = Common(examples);
  strings.set_unique(counts_.unique());
  strings.set_avg_length(static_cast<float>(static_cast<double>(bytes_) /
                                            static_cast<double>(values_)));
  strings.set_invalid_utf8_count(invalid_utf8_);
  uint64_t rank = 0;
  for (const auto& [value, count] : counts_.Ranked(kRanks)) {
    if (rank < kTopValues) {
      tfmd::StringStatistics::FreqAndValue& top = *strings.add_top_values();
      top.set_value(value);
      top.set_frequency(static_cast<double>(count));
    }
    auto& bucket = *strings.mutable_rank_histogram()->add_buckets();
    bucket.set_low_rank(rank);
    bucket.set_high_rank(rank++);
    bucket.set_label(value);
    bucket.set_sample_count(static_cast<double>(count));
  }
  return strings;
}

tfmd::FeatureNameStatistics FeatureCollector::Finish(const std::string& name,
                                                     uint64_t examples) const {
  tfmd::FeatureNameStatistics feature;
  feature.mutable_path()->add_step(name);
  feature.set_type(type_);
  if (type_ == tfmd::FeatureNameStatistics::STRING) {
    *feature.mutable_string_stats() = Strings(examples);
  } else {
    *feature.mutable_num_stats() = Numeric(examples);
  }
  return feature;
}

}  // namespace rekindle
