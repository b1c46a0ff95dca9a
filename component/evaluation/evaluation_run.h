#ifndef REKINDLE_COMPONENT_EVALUATION_EVALUATION_RUN_H_
#define REKINDLE_COMPONENT_EVALUATION_EVALUATION_RUN_H_

#include <functional>
#include <iosfwd>

#include "absl/status/status.h"
#include "component/contract/evaluation_input.h"
#include "component/contract/evaluation_output.h"

namespace rekindle {

// What an evaluation takes from the process it is in.
struct EvaluationEnvironment {
  // The signal that asked to stop, 0 for none. Asked before every batch.
  std::function<int()> stop_signal;
  // Gets progress, in lines. Not owned, must outlive the run.
  std::ostream* log = nullptr;
};

// Asks every model for all examples, and measures its answers over each slice:
// accuracy, precision, recall, auc and log_loss of a classification, mse and
// mae of a regression, example_count of both. `output` gets what was measured,
// without `error`.
//
//   INVALID_ARGUMENT     a model, the label or a slice is not what it should be
//   FAILED_PRECONDITION  there are no examples
//   NOT_FOUND            a file or a signature is not there
//   DATA_LOSS            a model or a file is damaged
//   OUT_OF_RANGE         there are too many slices
//   CANCELLED            asked to stop
absl::Status RunEvaluation(const EvaluationInput& input,
                           const EvaluationEnvironment& environment,
                           EvaluationOutput* output);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_EVALUATION_EVALUATION_RUN_H_
