#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "component/metrics/class_batch.h"
#include "component/metrics/class_metric.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"

namespace rekindle {
namespace {

struct ClassCounts {
  int64_t hits = 0;       // of the class and taken for it
  int64_t predicted = 0;  // taken for it
  int64_t actual = 0;     // of it
};

double Share(int64_t part, int64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

class PrecisionAndRecall final : public ClassMetric {
 public:
  using ClassMetric::ClassMetric;

  void Report(Logs* logs) const override {
    if (counts_.empty()) return;
    if (binary_) {
      (*logs)["precision"] = Share(counts_[1].hits, counts_[1].predicted);
      (*logs)["recall"] = Share(counts_[1].hits, counts_[1].actual);
      return;
    }
    ReportClasses("precision", &ClassCounts::predicted, logs);
    ReportClasses("recall", &ClassCounts::actual, logs);
  }

  void Reset() override { counts_.clear(); }

 protected:
  absl::Status Add(const ClassBatch& batch) override {
    if (batch.size() == 0) return absl::OkStatus();
    binary_ = batch.is_binary();
    counts_.resize(std::max(counts_.size(), batch.classes()));
    for (size_t i = 0; i < batch.size(); ++i) {
      const size_t predicted = batch.Predicted(i);
      const size_t actual = batch.label(i);
      ++counts_[predicted].predicted;
      ++counts_[actual].actual;
      if (predicted == actual) ++counts_[actual].hits;
    }
    return absl::OkStatus();
  }

 private:
  // The share of hits in `whole`, of each class and on average.
  void ReportClasses(const std::string& measure, int64_t ClassCounts::*whole,
                     Logs* logs) const {
    double sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const double share = Share(counts_[i].hits, counts_[i].*whole);
      (*logs)[ClassMeasure(measure, i, inputs().classes)] = share;
      sum += share;
    }
    (*logs)[measure] = sum / static_cast<double>(counts_.size());
  }

  std::vector<ClassCounts> counts_;  // by class
  bool binary_ = false;
};

}  // namespace

std::unique_ptr<Metric> MakePrecisionAndRecall(ClassificationInputs inputs) {
  return std::make_unique<PrecisionAndRecall>(std::move(inputs));
}

}  // namespace rekindle
