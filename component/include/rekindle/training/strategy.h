#ifndef REKINDLE_TRAINING_STRATEGY_H_
#define REKINDLE_TRAINING_STRATEGY_H_

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {

// On which devices, of how many machines, a step runs. Thread-compatible.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // As a line of the log says it: "Using MirroredStrategy with devices (...)".
  virtual std::string Description() const = 0;

  // Devices of this worker's replicas, as graphs name them; at least one.
  virtual const std::vector<std::string>& devices() const = 0;

  virtual int workers() const = 0;
  virtual int worker() const = 0;
  // Saves, evaluates and publishes; the other workers only train.
  bool is_chief() const { return worker() == 0; }
  int replicas() const {
    return workers() * static_cast<int>(devices().size());
  }
  InputContext input_context() const {
    return {workers(), worker(), static_cast<int>(devices().size())};
  }

  // Opens a session on these devices. `work_per_step` is how many weights times
  // examples a step has, about: small models run fastest on one thread. Of a
  // table only the rows that an example uses count.
  //
  //   UNAVAILABLE  a worker cannot be reached
  //   INTERNAL     TensorFlow cannot open a session
  virtual absl::StatusOr<std::unique_ptr<tensorflow::Session>> OpenSession(
      double work_per_step) const = 0;

  // To be called when all steps are made and everything is written: returns
  // when no other worker needs this one any more, for all but the chief when
  // the chief has ended.
  //
  //   CANCELLED  asked to stop
  virtual absl::Status Finish() const { return absl::OkStatus(); }

  // The gradients of each replica of this worker, summed over all replicas of
  // all workers: each list gets what its replica is to apply. `replicas` has
  // one entry per device, each with a loss. With several workers their losses
  // become the mean over all replicas, so that all workers see one number and
  // decide alike.
  virtual absl::StatusOr<std::vector<std::vector<Gradient>>> Reduce(
      const std::vector<StepGraph*>& replicas) const = 0;
};

// What a strategy takes from the program around it.
struct StrategyOptions {
  // How long another worker is waited for at the start.
  absl::Duration worker_timeout = absl::Minutes(5);
  // Asked while it waits; true: stop.
  std::function<bool()> should_stop = [] { return false; };
  std::ostream* log = &std::cout;  // not owned; says for whom it waits
  // The CPU is refused: settings that name no GPUs get all that there are.
  bool require_gpu = false;
};

// The strategy that `runtime` names: "one_device", "mirrored" (over num_gpus
// GPUs or num_virtual_cpus CPUs; one of them is one device), or
// "multi_worker_mirrored", whose cluster is `tf_config`, the value of the
// variable TF_CONFIG. With a TF_CONFIG of more than one worker "mirrored" is
// "multi_worker_mirrored".
//
//   INVALID_ARGUMENT     there is no such strategy, it does not fit the devices
//                        or the other settings, or TF_CONFIG is malformed or
//                        has roles that are not supported
//   FAILED_PRECONDITION  a GPU is required, and there is none (why)
//   UNAVAILABLE          this worker's server cannot start
absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(
    const RuntimeConfig& runtime, const std::string& tf_config,
    const StrategyOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_STRATEGY_H_
