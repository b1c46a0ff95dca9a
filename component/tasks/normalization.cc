#include "component/tasks/normalization.h"

#include <cmath>
#include <cstddef>

#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

template <typename Value>
Tensor Column(size_t size, const Value& value_of) {
  Tensor column(tensorflow::DT_FLOAT, {static_cast<int64_t>(size)});
  for (size_t i = 0; i < size; ++i) {
    column.flat<float>()(static_cast<int64_t>(i)) =
        static_cast<float>(value_of(i));
  }
  return column;
}

}  // namespace

void Moments::Add(const Tensor& rows) {
  const auto matrix = rows.matrix<float>();
  for (int64_t row = 0; row < matrix.dimension(0); ++row) {
    for (size_t column = 0; column < means_.size(); ++column) {
      const double value = matrix(row, static_cast<int64_t>(column));
      if (std::isnan(value)) continue;
      const double delta = value - means_[column];
      means_[column] += delta / static_cast<double>(++counts_[column]);
      squares_[column] += delta * (value - means_[column]);
    }
  }
}

Tensor Moments::Mean() const {
  return Column(means_.size(), [this](size_t i) { return means_[i]; });
}

Tensor Moments::Variance() const {
  return Column(means_.size(), [this](size_t i) {
    const double variance =
        counts_[i] > 0 ? squares_[i] / static_cast<double>(counts_[i]) : 0;
    return std::isnormal(static_cast<float>(variance)) ? variance : 1.0;
  });
}

absl::StatusOr<Moments> MeasureNumeric(Dataset& data, int64_t most) {
  // `numeric` is the first tensor of a batch that has it.
  Moments moments(data.spec().front().shape.dim_size(1));
  Batch batch;
  for (int64_t seen = 0; seen < most; seen += batch.size) {
    RK_ASSIGN_OR_RETURN(const bool more, data.Next(&batch));
    if (!more) break;
    moments.Add(batch.tensors.front());
  }
  return moments;
}

}  // namespace rekindle
