#include "component/data/histograms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "component/data/quantile_sketch.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using Sorted = std::vector<QuantileSketch::Weighted>;

// The smallest and largest finite value; both 0 if there is none.
struct Range {
  double low = 0;
  double high = 0;
};

Range FiniteRange(const Sorted& sorted) {
  const auto is_finite = [](const QuantileSketch::Weighted& entry) {
    return std::isfinite(entry.value);
  };
  const auto first = std::find_if(sorted.begin(), sorted.end(), is_finite);
  if (first == sorted.end()) return {};
  return {first->value,
          std::find_if(sorted.rbegin(), sorted.rend(), is_finite)->value};
}

int BucketOf(double value, const Range& range, double width) {
  if (width <= 0 || std::isinf(value)) {
    // All are equal, or it is out of any width.
    return value > range.low ? kHistogramBuckets - 1 : 0;
  }
  const double position = (value - range.low) / width;
  return static_cast<int>(
      std::clamp(position, 0.0, double{kHistogramBuckets - 1}));
}

}  // namespace

tfmd::Histogram StandardHistogram(const Sorted& sorted) {
  tfmd::Histogram histogram;
  histogram.set_type(tfmd::Histogram::STANDARD);
  if (sorted.empty()) return histogram;
  const Range range = FiniteRange(sorted);
  // Halves first: their difference cannot overflow.
  const double width =
      (range.high / kHistogramBuckets) - (range.low / kHistogramBuckets);
  for (int i = 0; i < kHistogramBuckets; ++i) {
    tfmd::Histogram::Bucket& bucket = *histogram.add_buckets();
    bucket.set_low_value(range.low + i * width);
    bucket.set_high_value(range.low + (i + 1) * width);
  }
  tfmd::Histogram::Bucket& first = *histogram.mutable_buckets(0);
  tfmd::Histogram::Bucket& last =
      *histogram.mutable_buckets(kHistogramBuckets - 1);
  last.set_high_value(range.high);
  if (std::isinf(sorted.front().value)) {
    first.set_low_value(-std::numeric_limits<double>::infinity());
  }
  if (std::isinf(sorted.back().value)) {
    last.set_high_value(std::numeric_limits<double>::infinity());
  }
  for (const QuantileSketch::Weighted& entry : sorted) {
    tfmd::Histogram::Bucket& bucket =
        *histogram.mutable_buckets(BucketOf(entry.value, range, width));
    bucket.set_sample_count(bucket.sample_count() +
                            static_cast<double>(entry.weight));
  }
  return histogram;
}

tfmd::Histogram QuantilesHistogram(const Sorted& sorted) {
  tfmd::Histogram histogram;
  histogram.set_type(tfmd::Histogram::QUANTILES);
  if (sorted.empty()) return histogram;
  uint64_t total = 0;
  for (const QuantileSketch::Weighted& entry : sorted) total += entry.weight;
  double low = sorted.front().value;
  for (int i = 1; i <= kHistogramBuckets; ++i) {
    tfmd::Histogram::Bucket& bucket = *histogram.add_buckets();
    bucket.set_low_value(low);
    low = QuantileOf(sorted, double(i) / kHistogramBuckets);
    bucket.set_high_value(low);
    bucket.set_sample_count(static_cast<double>(total) / kHistogramBuckets);
  }
  return histogram;
}

}  // namespace rekindle
