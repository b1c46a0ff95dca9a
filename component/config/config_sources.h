#ifndef REKINDLE_COMPONENT_CONFIG_CONFIG_SOURCES_H_
#define REKINDLE_COMPONENT_CONFIG_CONFIG_SOURCES_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/config/config_layer.h"

namespace rekindle {

// Reads a --config_file: YAML or JSON.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not YAML, or no names and values
//   UNAVAILABLE       it cannot be read
absl::StatusOr<ConfigLayer> ReadConfigFile(const std::string& path);

// Reads a --params_override, which is one of:
//
//   a.b=1,c='x',d=[1,2]         assignments to dotted paths
//   e[0]=1,e[1]=2               a list, by all its elements
//   {a: {b: 1}}                 YAML or JSON
//   changes.yaml                a file of it
//
//   INVALID_ARGUMENT  it is none of them, or an element of a list is missing
//   NOT_FOUND         there is no such file
absl::StatusOr<ConfigLayer> ParseOverride(const std::string& text);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_CONFIG_SOURCES_H_
