// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_SLICED_METRICS_H_
#define REKINDLE_COMPONENT_EVALUATION_SLICED_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/evaluation_output.h"
#include "component/contract/slices.h"
#include "rekindle/training/metric.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// The metrics of a model over the examples of each slice. Thread-compatible.
class SlicedMetrics {
 public:
  // More slices than these are a mistake: a feature with a value of its own for
  // each example.
  static constexpr size_t kMaxSlices = 10'000;

  // `classes` are names, or none.
  SlicedMetrics(bool is_regression, std::vector<std::string> classes);

  // Takes in a batch: labels and slices of each example, and the model's
  // predictions, as ReadPredictions gives them.
  //
  //   INVALID_ARGUMENT  labels and predictions do not belong together
  //   OUT_OF_RANGE      more than kMaxSlices
  absl::Status Add(const std::vector<double>& labels,
                   const tensorflow::Tensor& predictions,
                   const std::vector<std::vector<SliceKey>>& slices);

  // Of all slices, that of all examples first.
  std::vector<SliceMetrics> Report() const;

 private:
  struct Slice {
    std::vector<std::unique_ptr<Metric>> metrics;
    int64_t examples = 0;
  };

  absl::StatusOr<Slice*> FindOrMake(const SliceKey& key);
  std::vector<std::unique_ptr<Metric>> MakeMetrics() const;

  const bool is_regression_;
  const std::vector<std::string> classes_;
  std::map<SliceKey, Slice> slices_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_SLICED_METRICS_H_
