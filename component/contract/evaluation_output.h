#ifndef REKINDLE_COMPONENT_CONTRACT_EVALUATION_OUTPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_EVALUATION_OUTPUT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/executor_error.h"
#include "component/contract/slices.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What was measured of the examples of one slice: exact doubles by name,
// "accuracy", "precision/Adelie", "example_count".
struct SliceMetrics {
  SliceKey slice;
  std::map<std::string, double> metrics;

  bool operator==(const SliceMetrics&) const = default;
};

// What was measured of one model, the slice of all examples first.
struct ModelMetrics {
  std::string name;                  // as in the input
  std::vector<std::string> classes;  // their names, in order; empty: numbers
  std::vector<SliceMetrics> slices;

  bool operator==(const ModelMetrics&) const = default;
};

// What the process that evaluates answers. Written whole or not at all. A plain
// value.
struct EvaluationOutput {
  std::optional<ExecutorError> error;
  std::vector<ModelMetrics> models;  // in the order of the input
  // Facts about where it ran: "tensorflow_version".
  std::map<std::string, std::string> environment;

  bool operator==(const EvaluationOutput&) const = default;
};

nlohmann::json ToJson(const EvaluationOutput& output);

// Decode(Encode(x)) == x.
//
//   INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::StatusOr<EvaluationOutput> EvaluationOutputFromJson(
    const nlohmann::json& json);

// As ReadExecutorOutput and WriteExecutorOutput.
absl::StatusOr<EvaluationOutput> ReadEvaluationOutput(const std::string& path);
absl::Status WriteEvaluationOutput(const EvaluationOutput& output,
                                   const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_EVALUATION_OUTPUT_H_
