// Internal to component/tasks.
#ifndef REKINDLE_COMPONENT_TASKS_NORMALIZATION_H_
#define REKINDLE_COMPONENT_TASKS_NORMALIZATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/dataset.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Mean and variance of columns, without the values that are missing (NaN). A
// column that never varies keeps a variance of 1: it normalises to 0, and later
// data that does vary stays in bounds. Thread-compatible.
class Moments {
 public:
  explicit Moments(int64_t columns)
      : counts_(columns), means_(columns), squares_(columns) {}

  // Takes in rows, float [n, columns].
  void Add(const tensorflow::Tensor& rows);

  tensorflow::Tensor Mean() const;
  tensorflow::Tensor Variance() const;

 private:
  std::vector<int64_t> counts_;
  std::vector<double> means_;
  std::vector<double> squares_;  // Welford's sums of squared differences
};

// Of the tensor `numeric` of at most `most` examples of `data`.
absl::StatusOr<Moments> MeasureNumeric(Dataset& data, int64_t most);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_NORMALIZATION_H_
