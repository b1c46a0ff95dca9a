#ifndef REKINDLE_COMPONENT_CONFIG_CONFIG_LAYER_H_
#define REKINDLE_COMPONENT_CONFIG_CONFIG_LAYER_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "rekindle/training/config.h"

namespace rekindle {

// Keeps the order of names.
using ConfigJson = nlohmann::ordered_json;

// Settings from one place, to be laid over a Config. A plain value.
struct ConfigLayer {
  std::string source;  // a file, or a flag: for messages
  ConfigJson values = ConfigJson::object();
  // Where files have it: dotted path -> line, from 1.
  std::map<std::string, int> lines = {};
};

// Sets what `layer` names. Objects merge, lists replace. `config` is left half
// changed by an error.
//
//   INVALID_ARGUMENT  a name is unknown, or refused, or a value has the wrong
//                     type or breaks a rule; the message says where it is from,
//                     its dotted path, and what was expected
absl::Status ApplyLayer(const ConfigLayer& layer, Config& config);

// Puts `value` at the dotted `path` of `tree`, making what is missing on the
// way. An object merges with what is there, anything else replaces it.
void PutAt(const std::string& path, ConfigJson value, ConfigJson& tree);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_CONFIG_LAYER_H_
