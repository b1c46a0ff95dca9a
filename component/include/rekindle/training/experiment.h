#ifndef REKINDLE_TRAINING_EXPERIMENT_H_
#define REKINDLE_TRAINING_EXPERIMENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// Names that hyperparameters and a custom_config may use for dotted paths:
// "hidden_units" -> {"task.model.hidden_units"}. All paths of a name are set.
// At least one of them must have a meaning in the end: setting the rate of a
// schedule that was not chosen is an error.
using ShortNames = std::map<std::string, std::vector<std::string>>;

// A training run ready to start: what to learn, how and where, which files and
// flags then change. A plain value.
struct Experiment {
  // Makes the configuration, task included, with the experiment's defaults.
  std::function<std::unique_ptr<ExperimentConfig>()> make;
  // Beside those that every experiment has (CommonShortNames).
  ShortNames short_names;
};

// Registers an experiment. Names may have levels: "penguin/local". Modules call
// it while they are loaded:
//
//   const bool registered = RegisterExperiment("mine/small", {MakeSmall});
//
// Returns false when the name is taken; then FindExperiment says so.
bool RegisterExperiment(const std::string& name, Experiment experiment);

//   NOT_FOUND       no experiment has that name; the nearest is suggested
//   ALREADY_EXISTS  two experiments have it
absl::StatusOr<Experiment> FindExperiment(const std::string& name);

// All of them, sorted.
std::vector<std::string> ExperimentNames();

// train_steps, batch_size, learning_rate and others that mean the same in every
// experiment. An experiment's own short names come first.
const ShortNames& CommonShortNames();

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_EXPERIMENT_H_
