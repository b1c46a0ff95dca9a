// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_MODEL_UNDER_TEST_H_
#define REKINDLE_COMPONENT_EVALUATION_MODEL_UNDER_TEST_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/evaluation_input.h"
#include "component/contract/evaluation_output.h"
#include "component/contract/slices.h"
#include "component/evaluation/label_classes.h"
#include "component/evaluation/predictions.h"
#include "component/evaluation/sliced_metrics.h"
#include "component/training/predictor.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Some examples, with what is known of them without a model.
struct ExampleBatch {
  std::vector<std::string> records;
  std::vector<FeatureValue> labels;
  std::vector<std::vector<SliceKey>> slices;
};

// A model, and what has been measured of it. Thread-compatible.
class ModelUnderTest {
 public:
  // `input` is not owned and must outlive it. `schema_classes` name the classes
  // of a model that does not.
  ModelUnderTest(const EvaluationInput& input, std::string name,
                 std::unique_ptr<Predictor> predictor,
                 std::vector<std::string> schema_classes);

  // Asks the model, and measures its answers.
  //
  //   INVALID_ARGUMENT  the answers or the labels cannot be measured
  //   OUT_OF_RANGE      there are too many slices
  absl::Status Add(const ExampleBatch& batch);

  // What was measured, after at least one batch.
  ModelMetrics Report() const;

 private:
  absl::Status Measure(const ExampleBatch& batch);
  // Finds out what the answers are.
  absl::Status Start(const NamedTensors& answers,
                     const std::vector<FeatureValue>& labels);
  absl::StatusOr<std::vector<double>> Numbered(
      const std::vector<FeatureValue>& labels) const;

  const EvaluationInput& input_;
  const std::string name_;
  const std::unique_ptr<Predictor> predictor_;
  const std::vector<std::string> schema_classes_;
  PredictionForm form_;
  std::optional<LabelClasses> classes_;
  std::optional<SlicedMetrics> metrics_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_MODEL_UNDER_TEST_H_
