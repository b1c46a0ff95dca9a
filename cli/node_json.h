#ifndef REKINDLE_CLI_NODE_JSON_H_
#define REKINDLE_CLI_NODE_JSON_H_

#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Nodes as this program prints them: numbers are numbers, enums are names,
// properties are plain values by name, times are milliseconds.
nlohmann::json ToJson(const ml_metadata::Value& value);
nlohmann::json ToJson(const ml_metadata::Artifact& artifact);
nlohmann::json ToJson(const ml_metadata::Execution& execution);
nlohmann::json ToJson(const ml_metadata::Context& context);
nlohmann::json ToJson(const ml_metadata::Event& event);

// Types, with `kind` among their fields: "artifact", "execution" or "context".
nlohmann::json ToJson(const ml_metadata::ArtifactType& type);
nlohmann::json ToJson(const ml_metadata::ExecutionType& type);
nlohmann::json ToJson(const ml_metadata::ContextType& type);

// Properties by name; declared and custom ones alike.
template <typename Map>
nlohmann::json PropertiesToJson(const Map& properties) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : properties) json[name] = ToJson(value);
  return json;
}

}  // namespace rekindle

#endif  // REKINDLE_CLI_NODE_JSON_H_
