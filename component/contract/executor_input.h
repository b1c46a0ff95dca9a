#ifndef REKINDLE_COMPONENT_CONTRACT_EXECUTOR_INPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_EXECUTOR_INPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What the launcher hands to the process that trains: the fields of
// TFX's FnArgs that are data, and where to put the answer. The file format is
// docs/executor-contract.md. A plain value.
// NOLINTNEXTLINE(bugprone-exception-escape): json checks itself when it moves.
struct ExecutorInput {
  // Identity, for logs and for keying state.
  std::string pipeline;
  std::string run_id;
  std::string node_id;
  int64_t execution_id = 0;

  // FnArgs. File lists are patterns ("<uri>/Split-train/*"); an absent value is
  // nullopt or an empty path.
  std::vector<std::string> train_files;
  std::vector<std::string> eval_files;
  std::optional<int64_t> train_steps;
  std::optional<int64_t> eval_steps;
  std::string schema_path;
  std::string transform_graph_path;
  std::string serving_model_dir;
  std::string eval_model_dir;
  std::string model_run_dir;
  std::string base_model;
  nlohmann::json hyperparameters;  // object or null
  nlohmann::json custom_config;    // object or null
  // How many examples each split has, if somebody counted: an object of
  // integers, or null.
  nlohmann::json num_examples;

  // When the executor must have ended, in RFC 3339; empty: it has all the time.
  std::string deadline;
  // Where the executor may write how far it is, as "N/M".
  std::string progress_path;
  // Where the executor writes its ExecutorOutput.
  std::string output_path;

  bool operator==(const ExecutorInput&) const = default;
};

nlohmann::json ToJson(const ExecutorInput& input);

// Decode(Encode(x)) == x.
//
//   INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::StatusOr<ExecutorInput> ExecutorInputFromJson(const nlohmann::json& json);

// Reads and parses the file at `path`.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not JSON, or not an executor input
//   UNAVAILABLE       it cannot be read
absl::StatusOr<ExecutorInput> ReadExecutorInput(const std::string& path);

// Replaces the file at `path` atomically.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status WriteExecutorInput(const ExecutorInput& input,
                                const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_EXECUTOR_INPUT_H_
