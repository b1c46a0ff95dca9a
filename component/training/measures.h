// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_MEASURES_H_
#define REKINDLE_COMPONENT_TRAINING_MEASURES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// The mean loss and the metrics of many steps. Thread-compatible.
class Measures {
 public:
  Measures() = default;
  explicit Measures(std::vector<std::unique_ptr<Metric>> metrics)
      : metrics_(std::move(metrics)) {}

  // There is nothing to measure but the loss.
  bool empty() const { return metrics_.empty(); }

  int64_t examples() const { return examples_; }

  void AddLoss(double loss, int64_t examples) {
    loss_sum_ += loss * static_cast<double>(examples);
    examples_ += examples;
  }

  absl::Status Add(const NamedTensors& step) {
    for (const auto& metric : metrics_) {
      const absl::Status updated = metric->Update(step);
      if (!updated.ok()) return updated;
    }
    return absl::OkStatus();
  }

  // What was measured, with the mean loss as `loss_name`; empty when there was
  // no step.
  Logs Report(const std::string& loss_name) const {
    Logs logs;
    if (examples_ == 0) return logs;
    logs[loss_name] = loss_sum_ / static_cast<double>(examples_);
    for (const auto& metric : metrics_) metric->Report(&logs);
    return logs;
  }

  void Reset() {
    loss_sum_ = 0;
    examples_ = 0;
    for (const auto& metric : metrics_) metric->Reset();
  }

 private:
  std::vector<std::unique_ptr<Metric>> metrics_;
  double loss_sum_ = 0;
  int64_t examples_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MEASURES_H_
