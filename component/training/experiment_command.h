// Internal to rekindle-trainer.
#ifndef REKINDLE_COMPONENT_TRAINING_EXPERIMENT_COMMAND_H_
#define REKINDLE_COMPONENT_TRAINING_EXPERIMENT_COMMAND_H_

#include <functional>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "component/config/resolve_experiment.h"

namespace rekindle {

// An experiment as the command line asks for it.
struct ExperimentCommand {
  ExperimentOptions options;
  std::string mode;
  std::string model_dir;
  std::string export_dir;  // empty: nothing is exported
  std::string tf_config;
  absl::Duration worker_timeout = absl::Minutes(5);
  bool require_gpu = false;  // the CPU is refused
  // The signal that asked to stop, 0 for none.
  std::function<int()> stop_signal;
  std::ostream* out = nullptr;  // not owned
  bool is_terminal = false;     // `out` is one
};

// Runs it, without any store.
//
//   CANCELLED  asked to stop; a checkpoint was written
//   and what RunExperiment answers
absl::Status RunExperimentCommand(const ExperimentCommand& command);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_EXPERIMENT_COMMAND_H_
