#ifndef REKINDLE_COMPONENT_CONFIG_CONFIG_TREE_H_
#define REKINDLE_COMPONENT_CONFIG_CONFIG_TREE_H_

#include <string>

#include "absl/status/status.h"
#include "component/config/config_layer.h"
#include "rekindle/training/config.h"

namespace rekindle {

// Every value of a config, in the order of Describe; of a choice, the type and
// the chosen config only. A layer of it makes a config of the same struct equal
// to this one.
ConfigJson ConfigToJson(const Config& config);

// The same as the text of a params.yaml.
std::string ConfigToYaml(const Config& config);

// Checks the rules of every field, defaults included, and what the configs
// themselves validate. What was not chosen is not looked at.
//
//   INVALID_ARGUMENT  a value must be set, or breaks a rule; the message begins
//                     with the field's dotted path
absl::Status CheckConfig(const Config& config);

// Whether the dotted `path` leads to a field without passing through a config
// that was not chosen.
bool IsActive(const Config& config, const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_CONFIG_TREE_H_
