#include "component/evaluation/sliced_metrics.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

constexpr char kLabel[] = "label";
constexpr char kPrediction[] = "prediction";

// The labels and predictions of some of the examples of a batch.
NamedTensors RowsOf(const std::vector<double>& labels,
                    const Tensor& predictions,
                    const std::vector<size_t>& rows) {
  const auto count = static_cast<int64_t>(rows.size());
  const int64_t columns = predictions.dims() == 2 ? predictions.dim_size(1) : 1;
  Tensor label(tensorflow::DT_FLOAT, {count});
  Tensor prediction(tensorflow::DT_FLOAT, {count, columns});
  const float* from = predictions.flat<float>().data();
  float* to = prediction.flat<float>().data();
  for (size_t i = 0; i < rows.size(); ++i) {
    label.flat<float>()(static_cast<int64_t>(i)) =
        static_cast<float>(labels[rows[i]]);
    to = std::copy_n(from + static_cast<int64_t>(rows[i]) * columns, columns,
                     to);
  }
  return {{kLabel, std::move(label)}, {kPrediction, std::move(prediction)}};
}

}  // namespace

SlicedMetrics::SlicedMetrics(bool is_regression,
                             std::vector<std::string> classes)
    : is_regression_(is_regression), classes_(std::move(classes)) {}

std::vector<std::unique_ptr<Metric>> SlicedMetrics::MakeMetrics() const {
  std::vector<std::unique_ptr<Metric>> metrics;
  if (is_regression_) {
    metrics.push_back(MakeMeanSquaredError({kLabel, kPrediction}));
    metrics.push_back(MakeMeanAbsoluteError({kLabel, kPrediction}));
    return metrics;
  }
  const ClassificationInputs inputs = {kLabel, kPrediction, classes_};
  metrics.push_back(MakeAccuracy(inputs));
  metrics.push_back(MakePrecisionAndRecall(inputs));
  metrics.push_back(MakeAuc(inputs));
  metrics.push_back(MakeLogLoss(inputs));
  return metrics;
}

absl::StatusOr<SlicedMetrics::Slice*> SlicedMetrics::FindOrMake(
    const SliceKey& key) {
  const auto found = slices_.find(key);
  if (found != slices_.end()) return &found->second;
  if (slices_.size() == kMaxSlices) {
    return absl::OutOfRangeError(absl::StrCat(
        "the examples fall into more than ", kMaxSlices, " slices, such as ",
        SliceKeyText(key), "; slice by features with fewer values"));
  }
  Slice& made = slices_[key];
  made.metrics = MakeMetrics();
  return &made;
}

absl::Status SlicedMetrics::Add(
    const std::vector<double>& labels, const Tensor& predictions,
    const std::vector<std::vector<SliceKey>>& slices) {
  std::map<SliceKey, std::vector<size_t>> rows;
  for (size_t i = 0; i < slices.size(); ++i) {
    for (const SliceKey& key : slices[i]) rows[key].push_back(i);
  }
  for (const auto& [key, of_slice] : rows) {
    RK_ASSIGN_OR_RETURN(Slice* const slice, FindOrMake(key));
    const NamedTensors step = RowsOf(labels, predictions, of_slice);
    for (const auto& metric : slice->metrics) {
      RK_RETURN_IF_ERROR(metric->Update(step));
    }
    slice->examples += static_cast<int64_t>(of_slice.size());
  }
  return absl::OkStatus();
}

std::vector<SliceMetrics> SlicedMetrics::Report() const {
  std::vector<SliceMetrics> reports;
  for (const auto& [key, slice] : slices_) {
    SliceMetrics report;
    report.slice = key;
    for (const auto& metric : slice.metrics) metric->Report(&report.metrics);
    report.metrics["example_count"] = static_cast<double>(slice.examples);
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace rekindle
