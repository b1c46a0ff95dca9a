#ifndef REKINDLE_COMPONENT_TRAINING_TRAINING_SESSION_H_
#define REKINDLE_COMPONENT_TRAINING_TRAINING_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/io/example_dataset.h"
#include "component/io/tensor_bundle.h"
#include "component/tasks/tabular_classifier.h"

namespace rekindle {

// What a batch of examples measured.
struct BatchResult {
  double loss_sum = 0;
  int64_t correct = 0;
};

// A model in training: its variables, with the optimizer's, live in a
// TensorFlow session here. Variables have no value until Assign gives them one.
// Thread-compatible.
//
// Every method may also return what TensorFlow returns, as INTERNAL.
class TrainingSession {
 public:
  virtual ~TrainingSession() = default;

  // Names and shapes of the model's variables and of the optimizer's slots.
  virtual const std::vector<VariableSpec>& variables() const = 0;

  // Sets the variables named in `values`.
  virtual absl::Status Assign(const NamedTensors& values) = 0;

  // The value of every variable.
  virtual absl::StatusOr<NamedTensors> Read() = 0;

  // Makes training step `step` (from 0) on `batch`; returns the mean loss
  // before it.
  virtual absl::StatusOr<float> Step(int64_t step,
                                     const ExampleBatch& batch) = 0;

  virtual absl::StatusOr<BatchResult> Evaluate(const ExampleBatch& batch) = 0;

  // Probabilities [n, classes].
  virtual absl::StatusOr<tensorflow::Tensor> Scores(
      const ExampleBatch& batch) = 0;

  // Devices of the session, as "CPU:0".
  virtual absl::StatusOr<std::vector<std::string>> Devices() = 0;
};

// Builds the graph of `model` and opens a session on it. `model` may be
// destroyed before the session.
//
//   INTERNAL  the graph is not valid, or TensorFlow cannot open a session
absl::StatusOr<std::unique_ptr<TrainingSession>> OpenTrainingSession(
    const TabularClassifier& model, double learning_rate);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_TRAINING_SESSION_H_
