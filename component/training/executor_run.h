#ifndef REKINDLE_COMPONENT_TRAINING_EXECUTOR_RUN_H_
#define REKINDLE_COMPONENT_TRAINING_EXECUTOR_RUN_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"

namespace rekindle {

// What a run takes from the process it is in.
struct RunEnvironment {
  // The signal that asked to stop, 0 for none. Asked before every step.
  std::function<int()> stop_signal;
  // Gets progress, in lines. Not owned, must outlive the run.
  std::ostream* log = nullptr;
  // The value of the variable TF_CONFIG.
  std::string tf_config = "";
  // How long the other workers are waited for.
  absl::Duration worker_timeout = absl::Minutes(5);
  bool require_gpu = false;  // the CPU is refused
  // What the input's deadline is compared with.
  std::function<absl::Time()> now = absl::Now;
};

// Trains as an executor input says, from the examples to a SavedModel that was
// loaded again and tried; `output` gets what is known, also after an error,
// without `error` itself. Continues from the run's latest checkpoint or starts
// (warm, when there is a base model). With a deadline it stops training early
// enough for the rest to fit; the model is then not `train_complete`. On an
// error nothing is in the serving folder that would load, and checkpoints stay
// where they are.
//
//   INVALID_ARGUMENT     the input, its configuration, schema or examples
//                        cannot be used, or the loss is not finite
//   NOT_FOUND            a file or an experiment is not there
//   DATA_LOSS            a file is damaged
//   FAILED_PRECONDITION  the base model shares nothing with the model, the
//                        checkpoint is of another model, or there is no GPU
//                        where one is required
//   CANCELLED            asked to stop; a checkpoint was written
//   DEADLINE_EXCEEDED    not one step fits before the deadline
//   UNAVAILABLE          a file cannot be written, or a worker is gone
//   INTERNAL             TensorFlow failed
absl::Status RunExecutor(const ExecutorInput& input,
                         const RunEnvironment& environment,
                         ExecutorOutput* output);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_EXECUTOR_RUN_H_
