#include "component/contract/evaluation_input.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"

namespace rekindle {
namespace {

constexpr std::array<std::pair<PredictionKind, const char*>, 4> kKinds = {
    {{PredictionKind::kAuto, "auto"},
     {PredictionKind::kProbabilities, "probabilities"},
     {PredictionKind::kLogits, "logits"},
     {PredictionKind::kValues, "values"}}};

absl::Status ParseModel(const nlohmann::json& json,
                        std::vector<EvaluatedModel>* models) {
  EvaluatedModel model;
  JsonFields fields(json, "model");
  fields.Read("name", &model.name);
  fields.Read("folder", &model.folder);
  RK_RETURN_IF_ERROR(fields.Finish());
  models->push_back(std::move(model));
  return absl::OkStatus();
}

}  // namespace

std::string PredictionKindName(PredictionKind kind) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(),
                   [kind](const auto& known) { return known.first == kind; });
  return found->second;
}

absl::StatusOr<PredictionKind> ParsePredictionKind(const std::string& name) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(),
                   [&](const auto& known) { return known.second == name; });
  if (found != kKinds.end()) return found->first;
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not ", kPredictionKinds));
}

nlohmann::json ToJson(const EvaluationInput& input) {
  nlohmann::json models = nlohmann::json::array();
  for (const EvaluatedModel& model : input.models) {
    models.push_back({{"name", model.name}, {"folder", model.folder}});
  }
  nlohmann::json slices = nlohmann::json::array();
  for (const SliceSpec& slice : input.slices) slices.push_back(ToJson(slice));
  return {{"models", std::move(models)},
          {"examples", input.examples},
          {"schema_path", input.schema_path},
          {"label_key", input.label_key},
          {"signature", input.signature},
          {"prediction_key", input.prediction_key},
          {"prediction_kind", PredictionKindName(input.prediction_kind)},
          {"slices", std::move(slices)},
          {"output_path", input.output_path}};
}

absl::StatusOr<EvaluationInput> EvaluationInputFromJson(
    const nlohmann::json& json) {
  EvaluationInput input;
  std::string kind;
  JsonFields fields(json, "evaluation input");
  fields.ReadList("models", [&input](const nlohmann::json& element) {
    return ParseModel(element, &input.models);
  });
  fields.Read("examples", &input.examples);
  fields.Read("schema_path", &input.schema_path);
  fields.Read("label_key", &input.label_key);
  fields.Read("signature", &input.signature);
  fields.Read("prediction_key", &input.prediction_key);
  fields.Read("prediction_kind", &kind);
  fields.ReadList("slices", [&input](const nlohmann::json& element) {
    return ParseSliceSpec(element, &input.slices.emplace_back());
  });
  fields.Read("output_path", &input.output_path);
  RK_RETURN_IF_ERROR(fields.Finish());
  RK_ASSIGN_OR_RETURN(input.prediction_kind, ParsePredictionKind(kind));
  return input;
}

absl::StatusOr<EvaluationInput> ReadEvaluationInput(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const nlohmann::json json, ReadJsonFile(path));
  return EvaluationInputFromJson(json);
}

absl::Status WriteEvaluationInput(const EvaluationInput& input,
                                  const std::string& path) {
  return WriteJsonFile(ToJson(input), path);
}

}  // namespace rekindle
