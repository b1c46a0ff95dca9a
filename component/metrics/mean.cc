#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "component/metrics/step_tensors.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

class Mean final : public Metric {
 public:
  Mean(std::string tensor, std::string examples)
      : tensor_(std::move(tensor)), examples_(std::move(examples)) {}

  absl::Status Update(const NamedTensors& step) override {
    RK_ASSIGN_OR_RETURN(const absl::Span<const float> values,
                        FindFloats(step, tensor_));
    if (step.at(tensor_).dims() == 0) return AddMean(step, values[0]);
    sum_ = std::accumulate(values.begin(), values.end(), sum_);
    weight_ += static_cast<double>(values.size());
    return absl::OkStatus();
  }

  void Report(Logs* logs) const override {
    if (weight_ != 0) (*logs)[tensor_] = sum_ / weight_;
  }

  void Reset() override { sum_ = weight_ = 0; }

 private:
  absl::Status AddMean(const NamedTensors& step, double mean) {
    RK_ASSIGN_OR_RETURN(const tensorflow::Tensor* examples,
                        FindTensor(step, examples_));
    if (examples->dims() == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the metric counts the examples of a step by the rows of '",
          examples_, "', which is a scalar, expected one row per example"));
    }
    const auto weight = static_cast<double>(examples->dim_size(0));
    sum_ += mean * weight;
    weight_ += weight;
    return absl::OkStatus();
  }

  const std::string tensor_;
  const std::string examples_;
  double sum_ = 0;
  double weight_ = 0;
};

}  // namespace

std::unique_ptr<Metric> MakeMean(std::string tensor, std::string examples) {
  return std::make_unique<Mean>(std::move(tensor), std::move(examples));
}

}  // namespace rekindle
