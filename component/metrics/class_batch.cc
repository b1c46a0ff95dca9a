#include "component/metrics/class_batch.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/metrics/step_tensors.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

absl::Status ClassBatch::Read(const NamedTensors& step,
                              const ClassificationInputs& inputs) {
  RK_RETURN_IF_ERROR(CopyNumbers(step, inputs.label, &labels_));
  RK_ASSIGN_OR_RETURN(scores_, FindFloats(step, inputs.scores));
  const tensorflow::Tensor& scores = step.at(inputs.scores);
  columns_ = scores.dims() == 2 ? static_cast<size_t>(scores.dim_size(1)) : 1;
  return Check(inputs);
}

absl::Status ClassBatch::Check(const ClassificationInputs& inputs) const {
  if (scores_.size() != labels_.size() * columns_ || columns_ == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the metric reads ", labels_.size(), " labels from '", inputs.label,
        "' and ", scores_.size(), " scores in ", columns_, " columns from '",
        inputs.scores, "', expected a row of scores for each label"));
  }
  const auto known = [&](double label) {
    return label >= 0 && label < static_cast<double>(classes()) &&
           label == std::trunc(label);
  };
  const auto bad = std::find_if_not(labels_.begin(), labels_.end(), known);
  if (bad == labels_.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the metric reads the label ", *bad, " from '", inputs.label,
      "', expected the number of one of ", classes(), " classes, from 0"));
}

size_t ClassBatch::Predicted(size_t example) const {
  const absl::Span<const float> row = scores(example);
  if (is_binary()) return row[0] > 0.5f ? 1 : 0;
  return std::max_element(row.begin(), row.end()) - row.begin();
}

std::string ClassMeasure(const std::string& measure, size_t number,
                         const std::vector<std::string>& classes) {
  return number < classes.size() ? absl::StrCat(measure, "/", classes[number])
                                 : absl::StrCat(measure, "/", number);
}

}  // namespace rekindle
