#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "component/metrics/class_batch.h"
#include "component/metrics/class_metric.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"

namespace rekindle {
namespace {

constexpr size_t kThresholds = 200;  // Keras's default

// How many scores of positive and of negative examples lie between each two
// thresholds, which are evenly spread over 0 to 1.
struct ScoreCounts {
  std::array<int64_t, kThresholds> positives{};
  std::array<int64_t, kThresholds> negatives{};

  void Add(float score, bool positive) {
    ++(positive ? positives : negatives)[Bucket(score)];
  }

  // A score is above bucket i's threshold and not above the next one. The first
  // threshold lies below 0. Not above any: NaN.
  static size_t Bucket(float score) {
    const float above = std::ceil(score * float{kThresholds - 1}) - 1;
    return above > 0 ? static_cast<size_t>(above) : 0;
  }
};

double Area(const ScoreCounts& counts) {
  // The curve, from the highest threshold to the lowest, in examples.
  double true_positives = 0;
  double false_positives = 0;
  double area = 0;
  for (size_t i = kThresholds; i-- > 0;) {
    const auto positives = static_cast<double>(counts.positives[i]);
    const auto negatives = static_cast<double>(counts.negatives[i]);
    area += negatives * (true_positives + positives / 2);
    true_positives += positives;
    false_positives += negatives;
  }
  const double whole = true_positives * false_positives;
  return whole == 0 ? 0 : area / whole;
}

class Auc final : public ClassMetric {
 public:
  using ClassMetric::ClassMetric;

  void Report(Logs* logs) const override {
    if (counts_.empty()) return;
    double sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const double area = Area(counts_[i]);
      sum += area;
      if (counts_.size() > 1) {
        (*logs)[ClassMeasure("auc", i, inputs().classes)] = area;
      }
    }
    (*logs)["auc"] = sum / static_cast<double>(counts_.size());
  }

  void Reset() override { counts_.clear(); }

 protected:
  absl::Status Add(const ClassBatch& batch) override {
    if (batch.size() == 0) return absl::OkStatus();
    counts_.resize(std::max(counts_.size(), batch.columns()));
    for (size_t i = 0; i < batch.size(); ++i) {
      for (size_t column = 0; column < batch.columns(); ++column) {
        const float score = batch.scores(i)[column];
        if (score < 0 || score > 1) return NotAProbability(score);
        const size_t positive = batch.is_binary() ? 1 : column;
        counts_[column].Add(score, batch.label(i) == positive);
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status NotAProbability(float score) const {
    return absl::InvalidArgumentError(
        absl::StrCat("the metric auc reads the score ", score, " from '",
                     inputs().scores, "', expected a probability, 0 to 1"));
  }

  std::vector<ScoreCounts> counts_;  // by column of scores
};

}  // namespace

std::unique_ptr<Metric> MakeAuc(ClassificationInputs inputs) {
  return std::make_unique<Auc>(std::move(inputs));
}

}  // namespace rekindle
