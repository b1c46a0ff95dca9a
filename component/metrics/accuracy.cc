#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "component/metrics/class_batch.h"
#include "component/metrics/class_metric.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"

namespace rekindle {
namespace {

class Accuracy final : public ClassMetric {
 public:
  using ClassMetric::ClassMetric;

  void Report(Logs* logs) const override {
    if (examples_ == 0) return;
    (*logs)["accuracy"] =
        static_cast<double>(hits_) / static_cast<double>(examples_);
  }

  void Reset() override { hits_ = examples_ = 0; }

 protected:
  absl::Status Add(const ClassBatch& batch) override {
    for (size_t i = 0; i < batch.size(); ++i) {
      hits_ += batch.Predicted(i) == batch.label(i) ? 1 : 0;
    }
    examples_ += static_cast<int64_t>(batch.size());
    return absl::OkStatus();
  }

 private:
  int64_t hits_ = 0;
  int64_t examples_ = 0;
};

}  // namespace

std::unique_ptr<Metric> MakeAccuracy(ClassificationInputs inputs) {
  return std::make_unique<Accuracy>(std::move(inputs));
}

}  // namespace rekindle
