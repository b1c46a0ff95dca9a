#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/metrics/step_tensors.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"

namespace rekindle {
namespace {

double Square(double error) { return error * error; }
double Size(double error) { return std::abs(error); }

// The mean of Cost(error).
template <double (*Cost)(double)>
class MeanError final : public Metric {
 public:
  MeanError(RegressionInputs inputs, std::string name)
      : inputs_(std::move(inputs)), name_(std::move(name)) {}

  absl::Status Update(const NamedTensors& step) override {
    RK_RETURN_IF_ERROR(CopyNumbers(step, inputs_.label, &labels_));
    RK_RETURN_IF_ERROR(CopyNumbers(step, inputs_.prediction, &predictions_));
    RK_RETURN_IF_ERROR(CheckSizes());
    for (size_t i = 0; i < labels_.size(); ++i) {
      sum_ += Cost(predictions_[i] - labels_[i]);
    }
    count_ += static_cast<int64_t>(labels_.size());
    return absl::OkStatus();
  }

  void Report(Logs* logs) const override {
    if (count_ != 0) (*logs)[name_] = sum_ / static_cast<double>(count_);
  }

  void Reset() override {
    sum_ = 0;
    count_ = 0;
  }

 private:
  absl::Status CheckSizes() const {
    if (labels_.size() == predictions_.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "the metric ", name_, " reads ", labels_.size(), " labels from '",
        inputs_.label, "' and ", predictions_.size(), " predictions from '",
        inputs_.prediction, "', expected as many"));
  }

  const RegressionInputs inputs_;
  const std::string name_;
  double sum_ = 0;
  int64_t count_ = 0;
  // Kept between steps for their memory.
  std::vector<double> labels_;
  std::vector<double> predictions_;
};

}  // namespace

std::unique_ptr<Metric> MakeMeanSquaredError(RegressionInputs inputs) {
  return std::make_unique<MeanError<Square>>(std::move(inputs), "mse");
}

std::unique_ptr<Metric> MakeMeanAbsoluteError(RegressionInputs inputs) {
  return std::make_unique<MeanError<Size>>(std::move(inputs), "mae");
}

}  // namespace rekindle
