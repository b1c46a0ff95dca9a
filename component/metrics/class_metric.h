// Internal to component/metrics.
#ifndef REKINDLE_COMPONENT_METRICS_CLASS_METRIC_H_
#define REKINDLE_COMPONENT_METRICS_CLASS_METRIC_H_

#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/metrics/class_batch.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// A measure of labels and scores.
class ClassMetric : public Metric {
 public:
  explicit ClassMetric(ClassificationInputs inputs)
      : inputs_(std::move(inputs)) {}

  absl::Status Update(const NamedTensors& step) final {
    RK_RETURN_IF_ERROR(batch_.Read(step, inputs_));
    return Add(batch_);
  }

 protected:
  virtual absl::Status Add(const ClassBatch& batch) = 0;

  const ClassificationInputs& inputs() const { return inputs_; }

 private:
  const ClassificationInputs inputs_;
  ClassBatch batch_;  // kept for its memory
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_METRICS_CLASS_METRIC_H_
