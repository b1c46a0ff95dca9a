#ifndef REKINDLE_COMPONENT_CONTRACT_EXECUTOR_OUTPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_EXECUTOR_OUTPUT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/executor_error.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// One variable of the new model, and what a warm start did with it.
struct WarmStartVariable {
  std::string name;
  bool restored = false;
  std::string reason;  // why it was not restored; empty when it was

  bool operator==(const WarmStartVariable&) const = default;
};

struct WarmStartReport {
  std::string base_model;
  std::vector<WarmStartVariable> variables;

  bool operator==(const WarmStartReport&) const = default;
};

// What the process that trains answers. Written whole or not at all; a missing
// file means the process died first. A plain value.
struct ExecutorOutput {
  std::optional<ExecutorError> error;

  bool train_complete = false;
  int64_t global_step = 0;
  // Step a retry continued from; absent when it started from step 0.
  std::optional<int64_t> resumed_from_step;
  // Exact doubles by name: "loss", "accuracy", "first_loss", ...
  std::map<std::string, double> metrics;
  std::optional<WarmStartReport> warm_start;
  // Facts about where it ran: "tensorflow_version", "devices", ...
  std::map<std::string, std::string> environment;

  bool operator==(const ExecutorOutput&) const = default;
};

nlohmann::json ToJson(const ExecutorOutput& output);

// Decode(Encode(x)) == x.
//
//   INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::StatusOr<ExecutorOutput> ExecutorOutputFromJson(
    const nlohmann::json& json);

// Reads and parses the file at `path`.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not JSON, or not an executor output
//   UNAVAILABLE       it cannot be read
absl::StatusOr<ExecutorOutput> ReadExecutorOutput(const std::string& path);

// Replaces the file at `path` atomically.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status WriteExecutorOutput(const ExecutorOutput& output,
                                 const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_EXECUTOR_OUTPUT_H_
