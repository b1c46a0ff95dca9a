#include "component/contract/evaluation_output.h"

#include <utility>

#include "base/status_macros.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"

namespace rekindle {
namespace {

nlohmann::json SliceToJson(const SliceMetrics& slice) {
  nlohmann::json metrics = nlohmann::json::object();
  for (const auto& [name, value] : slice.metrics) {
    metrics[name] = NumberToJson(value);
  }
  return {{"slice", ToJson(slice.slice)}, {"metrics", std::move(metrics)}};
}

nlohmann::json ModelToJson(const ModelMetrics& model) {
  nlohmann::json slices = nlohmann::json::array();
  for (const SliceMetrics& slice : model.slices) {
    slices.push_back(SliceToJson(slice));
  }
  return {{"name", model.name},
          {"classes", model.classes},
          {"slices", std::move(slices)}};
}

absl::Status ParseSlice(const nlohmann::json& json,
                        std::vector<SliceMetrics>* slices) {
  SliceMetrics slice;
  JsonFields fields(json, "slice");
  fields.ReadList("slice", [&slice](const nlohmann::json& element) {
    return ParseSliceValue(element, &slice.slice);
  });
  fields.Read("metrics", &slice.metrics);
  RK_RETURN_IF_ERROR(fields.Finish());
  slices->push_back(std::move(slice));
  return absl::OkStatus();
}

absl::Status ParseModel(const nlohmann::json& json,
                        std::vector<ModelMetrics>* models) {
  ModelMetrics model;
  JsonFields fields(json, "model");
  fields.Read("name", &model.name);
  fields.Read("classes", &model.classes);
  fields.ReadList("slices", [&model](const nlohmann::json& element) {
    return ParseSlice(element, &model.slices);
  });
  RK_RETURN_IF_ERROR(fields.Finish());
  models->push_back(std::move(model));
  return absl::OkStatus();
}

}  // namespace

nlohmann::json ToJson(const EvaluationOutput& output) {
  nlohmann::json models = nlohmann::json::array();
  for (const ModelMetrics& model : output.models) {
    models.push_back(ModelToJson(model));
  }
  return {{"error", ToJson(output.error)},
          {"models", std::move(models)},
          {"environment", output.environment}};
}

absl::StatusOr<EvaluationOutput> EvaluationOutputFromJson(
    const nlohmann::json& json) {
  EvaluationOutput output;
  JsonFields fields(json, "evaluation output");
  fields.ReadOptional("error", [&output](const nlohmann::json& value) {
    return ParseExecutorError(value, &output.error);
  });
  fields.ReadList("models", [&output](const nlohmann::json& element) {
    return ParseModel(element, &output.models);
  });
  fields.Read("environment", &output.environment);
  RK_RETURN_IF_ERROR(fields.Finish());
  return output;
}

absl::StatusOr<EvaluationOutput> ReadEvaluationOutput(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const nlohmann::json json, ReadJsonFile(path));
  return EvaluationOutputFromJson(json);
}

absl::Status WriteEvaluationOutput(const EvaluationOutput& output,
                                   const std::string& path) {
  return WriteJsonFile(ToJson(output), path);
}

}  // namespace rekindle
