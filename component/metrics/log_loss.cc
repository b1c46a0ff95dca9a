#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "component/metrics/class_batch.h"
#include "component/metrics/class_metric.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"

namespace rekindle {
namespace {

constexpr float kDistance = 1e-7f;  // from 0 and 1, as Keras keeps it

float Kept(float score) { return std::clamp(score, kDistance, 1 - kDistance); }

class LogLoss final : public ClassMetric {
 public:
  using ClassMetric::ClassMetric;

  void Report(Logs* logs) const override {
    if (examples_ == 0) return;
    (*logs)["log_loss"] = sum_ / static_cast<double>(examples_);
  }

  void Reset() override {
    sum_ = 0;
    examples_ = 0;
  }

 protected:
  absl::Status Add(const ClassBatch& batch) override {
    for (size_t i = 0; i < batch.size(); ++i) {
      sum_ -= std::log(double{OfLabel(batch, i)});
    }
    examples_ += static_cast<int64_t>(batch.size());
    return absl::OkStatus();
  }

 private:
  // The probability of the label.
  static float OfLabel(const ClassBatch& batch, size_t example) {
    const absl::Span<const float> scores = batch.scores(example);
    const size_t label = batch.label(example);
    if (!batch.is_binary()) return Kept(scores[label]);
    return label == 1 ? Kept(scores[0]) : 1 - Kept(scores[0]);
  }

  double sum_ = 0;
  int64_t examples_ = 0;
};

}  // namespace

std::unique_ptr<Metric> MakeLogLoss(ClassificationInputs inputs) {
  return std::make_unique<LogLoss>(std::move(inputs));
}

}  // namespace rekindle
