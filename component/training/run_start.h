// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_RUN_START_H_
#define REKINDLE_COMPONENT_TRAINING_RUN_START_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/executor_output.h"
#include "rekindle/training/metric.h"

namespace rekindle {

// How a run began: what was measured before its first step, and what became of
// the base model. A retry, which begins in the middle, finds it in a file.
struct RunStart {
  Logs metrics;
  std::optional<WarmStartReport> warm_start;
};

// Writes it into the run's folder, whole or not at all.
//
//   UNAVAILABLE  the folder is full or not writable
absl::Status WriteRunStart(const RunStart& start, const std::string& folder);

// Reads it back; empty when there is none.
//
//   INVALID_ARGUMENT  the file is damaged
//   UNAVAILABLE       it cannot be read
absl::StatusOr<RunStart> ReadRunStart(const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_RUN_START_H_
