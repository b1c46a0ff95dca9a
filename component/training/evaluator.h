#ifndef REKINDLE_COMPONENT_TRAINING_EVALUATOR_H_
#define REKINDLE_COMPONENT_TRAINING_EVALUATOR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "component/io/example_dataset.h"
#include "component/training/training_session.h"

namespace rekindle {

struct Evaluation {
  double loss = 0;      // mean over the examples
  double accuracy = 0;  // share of examples whose best class is the label
  int64_t examples = 0;
};

// Measures the session's model on the first `limit` examples of `data`, in
// their order. `limit` is at least 1; data may have fewer.
//
//   INTERNAL  TensorFlow failed
absl::StatusOr<Evaluation> Evaluate(const ExampleDataset& data, int64_t limit,
                                    TrainingSession& session);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_EVALUATOR_H_
