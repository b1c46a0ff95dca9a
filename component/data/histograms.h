#ifndef REKINDLE_COMPONENT_DATA_HISTOGRAMS_H_
#define REKINDLE_COMPONENT_DATA_HISTOGRAMS_H_

#include <vector>

#include "component/data/quantile_sketch.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// Histograms as TFDV writes them, of ten buckets. `sorted` is in order; of an
// empty one the histogram has no buckets.

inline constexpr int kHistogramBuckets = 10;

// Buckets of equal width over the finite values. Infinite ones count in the
// first and the last bucket, which then reach as far.
tensorflow::metadata::v0::Histogram StandardHistogram(
    const std::vector<QuantileSketch::Weighted>& sorted);

// Buckets between deciles, each with a tenth of the values.
tensorflow::metadata::v0::Histogram QuantilesHistogram(
    const std::vector<QuantileSketch::Weighted>& sorted);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_HISTOGRAMS_H_
