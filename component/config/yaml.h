#ifndef REKINDLE_COMPONENT_CONFIG_YAML_H_
#define REKINDLE_COMPONENT_CONFIG_YAML_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/config/config_layer.h"

namespace rekindle {

// Reads one YAML document, of which JSON is a part. Scalars have the types of
// YAML's core schema, so 1e-3 is a number. `values` need not be an object; of
// an empty document they are null.
//
//   INVALID_ARGUMENT  it is not YAML, has more than one document, or has a name
//                     twice; the message says `source` and the line
absl::StatusOr<ConfigLayer> ParseYaml(const std::string& source,
                                      const std::string& text);

// Writes YAML that ParseYaml and PyYAML read back: objects in blocks, lists in
// flow style.
std::string WriteYaml(const ConfigJson& values);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_YAML_H_
