#ifndef REKINDLE_COMPONENT_CONTRACT_EVALUATION_INPUT_H_
#define REKINDLE_COMPONENT_CONTRACT_EVALUATION_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/contract/slices.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What a model's answer is. As it is written: "auto", "probabilities".
enum class PredictionKind {
  kAuto,           // found out from the first examples, and held to
  kProbabilities,  // of each class, or of class 1 of two
  kLogits,         // the same before softmax or sigmoid
  kValues,         // numbers, for regression
};

inline constexpr char kPredictionKinds[] =
    "auto, probabilities, logits or values";

std::string PredictionKindName(PredictionKind kind);
// INVALID_ARGUMENT  it is none of the names above
absl::StatusOr<PredictionKind> ParsePredictionKind(const std::string& name);

// A SavedModel to measure.
struct EvaluatedModel {
  std::string name;    // "candidate" or "baseline"
  std::string folder;  // holds saved_model.pb

  bool operator==(const EvaluatedModel&) const = default;
};

// What to measure, and where to answer: a part of docs/executor-contract.md. A
// plain value.
struct EvaluationInput {
  std::vector<EvaluatedModel> models;
  std::vector<std::string> examples;  // glob patterns of TFRecord files
  std::string schema_path;            // empty: there is none
  std::string label_key;
  std::string signature = "serving_default";
  std::string prediction_key;  // an output of the signature; empty: found out
  PredictionKind prediction_kind = PredictionKind::kAuto;
  // Beside the one slice of all examples, which is always measured.
  std::vector<SliceSpec> slices;
  std::string output_path;

  bool operator==(const EvaluationInput&) const = default;
};

nlohmann::json ToJson(const EvaluationInput& input);

// Decode(Encode(x)) == x.
//
//   INVALID_ARGUMENT  a key is unknown, missing or of the wrong type
absl::StatusOr<EvaluationInput> EvaluationInputFromJson(
    const nlohmann::json& json);

// As ReadExecutorInput and WriteExecutorInput.
absl::StatusOr<EvaluationInput> ReadEvaluationInput(const std::string& path);
absl::Status WriteEvaluationInput(const EvaluationInput& input,
                                  const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_EVALUATION_INPUT_H_
