#ifndef REKINDLE_TRAINING_ACTION_H_
#define REKINDLE_TRAINING_ACTION_H_

#include <functional>

#include "absl/status/status.h"
#include "rekindle/training/metric.h"

namespace rekindle {

// Something to do after a loop of training or an evaluation, with what it
// measured. An error ends the run.
using Action = std::function<absl::Status(const Logs&)>;

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_ACTION_H_
