// Internal to component/metrics.
#ifndef REKINDLE_COMPONENT_METRICS_CLASS_BATCH_H_
#define REKINDLE_COMPONENT_METRICS_CLASS_BATCH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// The labels and scores of a step, checked. Thread-compatible.
class ClassBatch {
 public:
  // Takes in a step's tensors, which must outlive what is asked.
  //
  //   INVALID_ARGUMENT  they do not belong together, or a label is no class
  absl::Status Read(const NamedTensors& step,
                    const ClassificationInputs& inputs);

  size_t size() const { return labels_.size(); }
  // Columns of scores.
  size_t columns() const { return columns_; }
  bool is_binary() const { return columns_ == 1; }
  size_t classes() const { return is_binary() ? 2 : columns_; }

  size_t label(size_t example) const {
    return static_cast<size_t>(labels_[example]);
  }
  absl::Span<const float> scores(size_t example) const {
    return scores_.subspan(example * columns_, columns_);
  }

  // The class that an example is taken for.
  size_t Predicted(size_t example) const;

 private:
  absl::Status Check(const ClassificationInputs& inputs) const;

  std::vector<double> labels_;
  absl::Span<const float> scores_;
  size_t columns_ = 0;
};

// The name of a measure of one class.
std::string ClassMeasure(const std::string& measure, size_t number,
                         const std::vector<std::string>& classes);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_METRICS_CLASS_BATCH_H_
