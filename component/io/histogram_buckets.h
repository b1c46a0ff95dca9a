#ifndef REKINDLE_COMPONENT_IO_HISTOGRAM_BUCKETS_H_
#define REKINDLE_COMPONENT_IO_HISTOGRAM_BUCKETS_H_

#include "absl/status/statusor.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Counts the entries of `values` in `count` (above 0) buckets of equal width
// between the smallest and the largest: a tensor of double [count, 3] with a
// bucket's left edge, right edge and number of entries in each row, as
// TensorBoard's histograms are stored. Entries that are not finite are left
// out. Without entries every row is 0; when all are equal, they are in the last
// bucket, and every edge is that number.
//
//   INVALID_ARGUMENT  `values` are no numbers
absl::StatusOr<tensorflow::Tensor> HistogramBuckets(
    const tensorflow::Tensor& values, int count);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_HISTOGRAM_BUCKETS_H_
