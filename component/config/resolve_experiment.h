#ifndef REKINDLE_COMPONENT_CONFIG_RESOLVE_EXPERIMENT_H_
#define REKINDLE_COMPONENT_CONFIG_RESOLVE_EXPERIMENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/config/config_layer.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// What a run was told about its configuration. A plain value. Later lines win
// over earlier ones.
struct ExperimentOptions {
  // Its name; empty: the "experiment" of custom_config.
  std::string experiment = {};
  // --config_file, in order, after the "config_file" of custom_config.
  std::vector<std::string> config_files = {};
  // An object of short names and dotted paths, or null. Its "experiment",
  // "config_file" (a path or a list) and "params_override" (a string or an
  // object) are as the flags.
  ConfigJson custom_config = {};
  // What keras_tuner writes, or null: its "values", by short names and dotted
  // paths.
  ConfigJson hyperparameters = {};
  // --params_override, after the one of custom_config.
  std::vector<std::string> params_override = {};
  // What the step's arguments say.
  std::optional<int64_t> train_steps = {};
  std::optional<int64_t> validation_steps = {};
  std::vector<std::string> train_files = {};       // none: not said
  std::vector<std::string> validation_files = {};  // none: not said
  // Anything else that the step says, by short names and dotted paths, or null.
  ConfigJson arguments = {};
};

// The configuration of a run: the experiment's, changed by one layer after the
// other, and checked.
//
//   NOT_FOUND            there is no such experiment or file
//   INVALID_ARGUMENT     a layer names what does not exist, or gives a wrong
//                        value; the message says which layer
//   FAILED_PRECONDITION  the experiment makes no task
absl::StatusOr<std::unique_ptr<ExperimentConfig>> ResolveExperiment(
    const ExperimentOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_RESOLVE_EXPERIMENT_H_
