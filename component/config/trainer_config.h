#ifndef REKINDLE_COMPONENT_CONFIG_TRAINER_CONFIG_H_
#define REKINDLE_COMPONENT_CONFIG_TRAINER_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What a user may set about a training run. The names are the keys of the
// JSON. A plain value.
struct ClassifierConfig {
  // The model.
  std::string label_key;  // required: the feature to learn
  std::vector<int64_t> hidden_units = {16, 16};  // none: a linear model

  // The optimisation (Adam).
  double learning_rate = 0.003;
  int64_t batch_size = 32;
  int64_t train_steps = 500;  // when the step's own arguments give none
  int64_t seed = 0;  // of the initial weights and the order of examples

  // What is written on the way.
  int64_t checkpoint_interval = 1000;  // in steps
  int64_t max_to_keep = 3;             // checkpoints
  int64_t log_interval = 100;          // in steps

  // A base model that shares no variable with this one is an error, unless
  // this is set.
  bool allow_no_match = false;

  bool operator==(const ClassifierConfig&) const = default;
};

// Reads `custom_config` (an object or null), then lets `hyperparameters` (null,
// or what keras_tuner writes: an object whose "values" are taken) override it.
//
//   INVALID_ARGUMENT  a key is unknown or missing, or a value has the wrong
//                     type or range; the message names key, value and rule
absl::StatusOr<ClassifierConfig> ParseTrainerConfig(
    const nlohmann::json& custom_config, const nlohmann::json& hyperparameters);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_TRAINER_CONFIG_H_
