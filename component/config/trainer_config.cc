#include "component/config/trainer_config.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::nlohmann::json;

constexpr int64_t kMostUnits = 1 << 16;
constexpr int64_t kLargestBatch = 1 << 20;
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

// Takes a value into the config, or returns the rule that it breaks.
using Setter = std::function<std::string(const json&, ClassifierConfig*)>;

struct Key {
  std::string_view name;
  Setter set;
};

bool IsIntegerIn(const json& value, int64_t least, int64_t most) {
  return value.is_number_integer() && value >= least && value <= most;
}

Setter Integer(int64_t ClassifierConfig::*field, int64_t least, int64_t most) {
  return [=](const json& value, ClassifierConfig* config) -> std::string {
    if (!IsIntegerIn(value, least, most)) {
      return absl::StrCat("an integer from ", least, " to ", most);
    }
    config->*field = value.get<int64_t>();
    return "";
  };
}

std::string SetLabelKey(const json& value, ClassifierConfig* config) {
  const std::string name = value.is_string() ? value.get<std::string>() : "";
  if (name.empty()) return "the name of a feature";
  config->label_key = name;
  return "";
}

std::string SetHiddenUnits(const json& value, ClassifierConfig* config) {
  const bool valid =
      value.is_array() && std::ranges::all_of(value, [](const json& units) {
        return IsIntegerIn(units, 1, kMostUnits);
      });
  if (!valid) {
    return absl::StrCat("a list of integers from 1 to ", kMostUnits);
  }
  config->hidden_units = value.get<std::vector<int64_t>>();
  return "";
}

std::string SetLearningRate(const json& value, ClassifierConfig* config) {
  const double rate = value.is_number() ? value.get<double>() : 0;
  if (!(rate > 0) || !std::isfinite(rate)) return "a number above 0";
  config->learning_rate = rate;
  return "";
}

std::string SetAllowNoMatch(const json& value, ClassifierConfig* config) {
  if (!value.is_boolean()) return "true or false";
  config->allow_no_match = value.get<bool>();
  return "";
}

const std::vector<Key>& Keys() {
  using C = ClassifierConfig;
  static const auto& keys = *new std::vector<Key>{
      {"label_key", SetLabelKey},
      {"hidden_units", SetHiddenUnits},
      {"learning_rate", SetLearningRate},
      {"batch_size", Integer(&C::batch_size, 1, kLargestBatch)},
      {"train_steps", Integer(&C::train_steps, 1, kInt64Max)},
      {"seed", Integer(&C::seed, 0, kInt64Max)},
      {"checkpoint_interval", Integer(&C::checkpoint_interval, 1, kInt64Max)},
      {"max_to_keep", Integer(&C::max_to_keep, 1, kInt64Max)},
      {"log_interval", Integer(&C::log_interval, 1, kInt64Max)},
      {"allow_no_match", SetAllowNoMatch},
  };
  return keys;
}

absl::Status UnknownKey(std::string_view source, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(Keys().size());
  for (const Key& key : Keys()) names.emplace_back(key.name);
  const std::optional<std::string> nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      source, ": unknown key '", name, "'; ",
      nearest.has_value()
          ? absl::StrCat("did you mean '", *nearest, "'?")
          : absl::StrCat("the keys are: ", absl::StrJoin(names, ", "))));
}

absl::Status Apply(std::string_view source, const json& values,
                   ClassifierConfig* config) {
  if (values.is_null()) return absl::OkStatus();
  if (!values.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source, " is ", values.dump(), ", expected an object"));
  }
  for (const auto& [name, value] : values.items()) {
    const auto key = std::ranges::find(Keys(), name, &Key::name);
    if (key == Keys().end()) return UnknownKey(source, name);
    const std::string rule = key->set(value, config);
    if (rule.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        source, ": '", name, "' is ", value.dump(), ", expected ", rule));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClassifierConfig> ParseTrainerConfig(const json& custom_config,
                                                 const json& hyperparameters) {
  ClassifierConfig config;
  RK_RETURN_IF_ERROR(Apply("custom_config", custom_config, &config));
  if (!hyperparameters.is_null()) {
    if (!hyperparameters.is_object() || !hyperparameters.contains("values")) {
      return absl::InvalidArgumentError(
          "hyperparameters: expected an object with the key 'values', as "
          "keras_tuner writes it");
    }
    RK_RETURN_IF_ERROR(
        Apply("hyperparameters", hyperparameters.at("values"), &config));
  }
  if (config.label_key.empty()) {
    return absl::InvalidArgumentError(
        "custom_config: 'label_key' is missing; it names the feature to learn");
  }
  return config;
}

}  // namespace rekindle
