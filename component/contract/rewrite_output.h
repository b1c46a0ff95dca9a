#ifndef REKINDLE_COMPONENT_CONTRACT_REWRITE_OUTPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_REWRITE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/contract/executor_error.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// A model that was made of a trained one, and lies beside it.
struct RewrittenModel {
  std::string kind;    // "tflite"
  std::string folder;  // "Format-TFLite"
  std::vector<std::string> signatures;
  int64_t bytes = 0;
  // Between its answers and the original's; absent if it was not tried.
  std::optional<double> largest_difference;
  // What it needs TensorFlow's own kernels for.
  std::vector<std::string> tensorflow_ops;
  std::string tensorflow_version;  // of the converter

  bool operator==(const RewrittenModel&) const = default;
};

// What the process that rewrites models answers. Written whole or not at all. A
// plain value.
struct RewriteOutput {
  std::optional<ExecutorError> error;
  std::vector<RewrittenModel> rewritten;  // in the order they were asked for

  bool operator==(const RewriteOutput&) const = default;
};

nlohmann::json ToJson(const std::vector<RewrittenModel>& models);
nlohmann::json ToJson(const RewriteOutput& output);

// Decode(Encode(x)) == x.
//
//   INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::StatusOr<RewriteOutput> RewriteOutputFromJson(const nlohmann::json& json);

// As ReadExecutorOutput.
absl::StatusOr<RewriteOutput> ReadRewriteOutput(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_REWRITE_OUTPUT_H_
