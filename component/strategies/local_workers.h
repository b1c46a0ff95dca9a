#ifndef REKINDLE_COMPONENT_STRATEGIES_LOCAL_WORKERS_H_
#define REKINDLE_COMPONENT_STRATEGIES_LOCAL_WORKERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rekindle {

// A training job of several processes on this machine.
struct LocalWorkers {
  std::vector<std::string> argv;  // the program that each of them runs
  int workers = 2;
  // How often the whole job is started again when a worker was lost.
  int restarts = 3;
};

// Starts the workers, each with a TF_CONFIG of its own, and runs them to their
// end; the first is the chief. What the others print is marked with their
// number. Returns the exit code of the job: the chief's, or that of the worker
// that failed first (128 + n for one killed by signal n).
//
// When a worker is killed, crashes, or says that a retry may help (exit code
// 75), all are ended and the job is started again; it is expected to go on from
// its last checkpoint. SIGTERM and SIGINT are passed on to the chief, which
// knows how to stop. No worker survives this process.
//
// To be called before the process starts threads.
//
//   UNAVAILABLE  a process cannot be started, or no port is free
absl::StatusOr<int> RunLocalWorkers(const LocalWorkers& job);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_LOCAL_WORKERS_H_
