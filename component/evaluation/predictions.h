// Internal to component/evaluation.
#ifndef REKINDLE_COMPONENT_EVALUATION_PREDICTIONS_H_
#define REKINDLE_COMPONENT_EVALUATION_PREDICTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/evaluation_input.h"
#include "component/contract/slices.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// How the answers of a model are to be read. A plain value.
struct PredictionForm {
  std::string key;  // the output that is measured
  PredictionKind kind = PredictionKind::kAuto;
  int64_t columns = 1;
  // Names of the classes, if the model answers them.
  std::vector<std::string> classes;

  bool is_regression() const { return kind == PredictionKind::kValues; }
};

// Finds the form out from the answers to the first examples, as far as `input`
// does not say it: the output by its name, and what it holds by its range.
// `labels` are those of the same examples.
//
//   INVALID_ARGUMENT  there is no such output, or none that can be measured
absl::StatusOr<PredictionForm> FindForm(
    const EvaluationInput& input, const NamedTensors& answers,
    const std::vector<FeatureValue>& labels);

// The predictions in `answers` for `rows` examples: probabilities of shape
// [rows, columns], or numbers of shape [rows].
//
//   INVALID_ARGUMENT  they are not of the form
absl::StatusOr<tensorflow::Tensor> ReadPredictions(const PredictionForm& form,
                                                   const NamedTensors& answers,
                                                   int64_t rows);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_PREDICTIONS_H_
