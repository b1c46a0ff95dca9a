// Internal to rekindle-trainer.
#ifndef REKINDLE_COMPONENT_TRAINING_WORKERS_COMMAND_H_
#define REKINDLE_COMPONENT_TRAINING_WORKERS_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/training/flags.h"

namespace rekindle {

// Runs this program with the same `arguments` in as many processes as --workers
// says, which train together; returns the exit code of the job.
//
//   INVALID_ARGUMENT  a number is none, the mode does not train, or TF_CONFIG
//                     is set as well
//   UNAVAILABLE       a process cannot be started
absl::StatusOr<int> RunWorkersCommand(const Flags& flags,
                                      const std::vector<std::string>& arguments,
                                      const std::string& tf_config);

// How long a worker waits for the others: --worker_timeout, in seconds.
//
//   INVALID_ARGUMENT  it is not a number of seconds
absl::StatusOr<absl::Duration> WorkerTimeout(const Flags& flags);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_WORKERS_COMMAND_H_
