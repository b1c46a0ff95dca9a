#include "component/io/histogram_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

template <typename T>
std::vector<double> FiniteOf(const Tensor& values) {
  std::vector<double> finite;
  const auto entries = values.flat<T>();
  finite.reserve(static_cast<size_t>(entries.size()));
  for (int64_t i = 0; i < entries.size(); ++i) {
    const auto entry = static_cast<double>(entries(i));
    if (std::isfinite(entry)) finite.push_back(entry);
  }
  return finite;
}

absl::StatusOr<std::vector<double>> FiniteEntries(const Tensor& values) {
  switch (values.dtype()) {
    case tensorflow::DT_FLOAT:
      return FiniteOf<float>(values);
    case tensorflow::DT_DOUBLE:
      return FiniteOf<double>(values);
    case tensorflow::DT_HALF:
      return FiniteOf<Eigen::half>(values);
    case tensorflow::DT_BFLOAT16:
      return FiniteOf<tensorflow::bfloat16>(values);
    case tensorflow::DT_INT32:
      return FiniteOf<int32_t>(values);
    case tensorflow::DT_INT64:
      return FiniteOf<int64_t>(values);
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "a histogram of ", tensorflow::DataTypeString(values.dtype()),
          " was asked for, expected a tensor of numbers"));
  }
}

}  // namespace

absl::StatusOr<Tensor> HistogramBuckets(const Tensor& values, int count) {
  RK_ASSIGN_OR_RETURN(const std::vector<double> entries, FiniteEntries(values));
  Tensor buckets(tensorflow::DT_DOUBLE, tensorflow::TensorShape({count, 3}));
  auto rows = buckets.matrix<double>();
  rows.setZero();
  if (entries.empty()) return buckets;

  const auto [smallest, largest] = std::ranges::minmax(entries);
  // In halves: the difference of two doubles may be too large for one.
  const double half_width = (largest / 2 - smallest / 2) / count;
  const double width = 2 * half_width;
  for (int i = 0; i < count; ++i) {
    rows(i, 0) = smallest + i * width;
    rows(i, 1) = i + 1 == count ? largest : smallest + (i + 1) * width;
  }
  for (const double entry : entries) {
    const double bucket =
        width > 0 ? std::floor((entry / 2 - smallest / 2) / half_width) : count;
    rows(std::min(static_cast<int>(bucket), count - 1), 2) += 1;
  }
  return buckets;
}

}  // namespace rekindle
