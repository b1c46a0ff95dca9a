#ifndef REKINDLE_COMPONENT_CONTRACT_COMPONENT_OUTPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_COMPONENT_OUTPUT_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What a command that `rekindle exec` ran has to say of its work, if anything:
// every part may be absent, and so may the file. The file format is
// docs/executor-contract.md. A plain value.
struct ComponentOutput {
  struct Output {
    // Objects of plain values: numbers, text, true and false.
    nlohmann::json properties = nlohmann::json::object();
    nlohmann::json custom_properties = nlohmann::json::object();
  };

  // Why it failed, for people; empty when it did not say.
  std::string error;
  // Exact doubles by name.
  std::map<std::string, double> metrics;
  std::map<std::string, Output> outputs;  // by key
  nlohmann::json execution_properties = nlohmann::json::object();
};

//   INVALID_ARGUMENT  a key is unknown or of the wrong type
absl::StatusOr<ComponentOutput> ComponentOutputFromJson(
    const nlohmann::json& value);

// Reads and parses the file at `path`; no file is an empty answer.
//
//   INVALID_ARGUMENT  it is not JSON, or not such an answer
//   UNAVAILABLE       it cannot be read
absl::StatusOr<ComponentOutput> ReadComponentOutput(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_COMPONENT_OUTPUT_H_
