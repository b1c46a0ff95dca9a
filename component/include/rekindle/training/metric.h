#ifndef REKINDLE_TRAINING_METRIC_H_
#define REKINDLE_TRAINING_METRIC_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// What was measured, by name: exact doubles.
using Logs = std::map<std::string, double>;

// A measure over many batches, computed on the host from what each step put
// out. Thread-compatible.
class Metric {
 public:
  virtual ~Metric() = default;

  // Takes in a step: the tensors of its batch and its outputs, by name.
  //
  //   INVALID_ARGUMENT  they are not what the metric measures
  virtual absl::Status Update(const NamedTensors& step) = 0;

  // Adds what was measured since the last Reset to `logs`: nothing when nothing
  // was.
  virtual void Report(Logs* logs) const = 0;

  virtual void Reset() = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_METRIC_H_
