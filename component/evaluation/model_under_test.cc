#include "component/evaluation/model_under_test.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

ModelUnderTest::ModelUnderTest(const EvaluationInput& input, std::string name,
                               std::unique_ptr<Predictor> predictor,
                               std::vector<std::string> schema_classes)
    : input_(input),
      name_(std::move(name)),
      predictor_(std::move(predictor)),
      schema_classes_(std::move(schema_classes)) {}

absl::Status ModelUnderTest::Add(const ExampleBatch& batch) {
  const absl::Status added = Measure(batch);
  if (added.ok()) return added;
  return absl::Status(added.code(),
                      absl::StrCat(name_, " model: ", added.message()));
}

ModelMetrics ModelUnderTest::Report() const {
  return {name_, classes_->names(), metrics_->Report()};
}

absl::Status ModelUnderTest::Measure(const ExampleBatch& batch) {
  RK_ASSIGN_OR_RETURN(const NamedTensors answers,
                      predictor_->Predict(batch.records));
  if (!metrics_.has_value()) RK_RETURN_IF_ERROR(Start(answers, batch.labels));
  RK_ASSIGN_OR_RETURN(
      const tensorflow::Tensor predictions,
      ReadPredictions(form_, answers,
                      static_cast<int64_t>(batch.labels.size())));
  RK_ASSIGN_OR_RETURN(const std::vector<double> labels, Numbered(batch.labels));
  return metrics_->Add(labels, predictions, batch.slices);
}

absl::Status ModelUnderTest::Start(const NamedTensors& answers,
                                   const std::vector<FeatureValue>& labels) {
  RK_ASSIGN_OR_RETURN(form_, FindForm(input_, answers, labels));
  // One column is the probability of the second of two classes.
  const auto count =
      static_cast<size_t>(form_.columns == 1 ? 2 : form_.columns);
  std::vector<std::string> names = form_.classes;
  if (names.empty() && schema_classes_.size() == count) names = schema_classes_;
  if (form_.is_regression()) names.clear();
  classes_.emplace(input_.label_key, names, count);
  metrics_.emplace(form_.is_regression(), names);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> ModelUnderTest::Numbered(
    const std::vector<FeatureValue>& labels) const {
  std::vector<double> numbers;
  numbers.reserve(labels.size());
  for (const FeatureValue& label : labels) {
    RK_ASSIGN_OR_RETURN(const double number,
                        form_.is_regression()
                            ? NumberOf(input_.label_key, label)
                            : classes_->NumberOf(label));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace rekindle
