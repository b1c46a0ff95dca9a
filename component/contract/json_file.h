// Internal to component/contract.
#ifndef REKINDLE_COMPONENT_CONTRACT_JSON_FILE_H_
#define REKINDLE_COMPONENT_CONTRACT_JSON_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Reads and parses the file at `path`.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not JSON
//   UNAVAILABLE       it cannot be read
absl::StatusOr<nlohmann::json> ReadJsonFile(const std::string& path);

// Replaces the file at `path` with `json`, atomically and durably: a reader
// sees the old file or the whole new one, also after a power loss. Bytes that
// are not UTF-8 are written as U+FFFD.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status WriteJsonFile(const nlohmann::json& json, const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_JSON_FILE_H_
