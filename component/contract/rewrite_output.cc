#include "component/contract/rewrite_output.h"

#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"

namespace rekindle {
namespace {

nlohmann::json ModelToJson(const RewrittenModel& model) {
  nlohmann::json json = {{"kind", model.kind},
                         {"folder", model.folder},
                         {"signatures", model.signatures},
                         {"bytes", model.bytes},
                         {"largest_difference", nullptr},
                         {"tensorflow_ops", model.tensorflow_ops},
                         {"tensorflow_version", model.tensorflow_version}};
  if (model.largest_difference.has_value()) {
    json["largest_difference"] = *model.largest_difference;
  }
  return json;
}

absl::Status ParseNumber(const nlohmann::json& json,
                         std::optional<double>* number) {
  if (!json.is_number()) return absl::InvalidArgumentError("must be a number");
  *number = json.get<double>();
  return absl::OkStatus();
}

absl::Status ParseModel(const nlohmann::json& json,
                        std::vector<RewrittenModel>* models) {
  RewrittenModel model;
  JsonFields fields(json, "rewritten model");
  fields.Read("kind", &model.kind);
  fields.Read("folder", &model.folder);
  fields.Read("signatures", &model.signatures);
  fields.Read("bytes", &model.bytes);
  fields.ReadOptional("largest_difference",
                      [&model](const nlohmann::json& value) {
                        return ParseNumber(value, &model.largest_difference);
                      });
  fields.Read("tensorflow_ops", &model.tensorflow_ops);
  fields.Read("tensorflow_version", &model.tensorflow_version);
  RK_RETURN_IF_ERROR(fields.Finish());
  models->push_back(std::move(model));
  return absl::OkStatus();
}

}  // namespace

nlohmann::json ToJson(const std::vector<RewrittenModel>& models) {
  nlohmann::json list = nlohmann::json::array();
  for (const RewrittenModel& model : models) list.push_back(ModelToJson(model));
  return list;
}

nlohmann::json ToJson(const RewriteOutput& output) {
  return {{"error", ToJson(output.error)},
          {"rewritten", ToJson(output.rewritten)}};
}

absl::StatusOr<RewriteOutput> RewriteOutputFromJson(
    const nlohmann::json& json) {
  RewriteOutput output;
  JsonFields fields(json, "rewrite output");
  fields.ReadOptional("error", [&output](const nlohmann::json& value) {
    return ParseExecutorError(value, &output.error);
  });
  fields.ReadList("rewritten", [&output](const nlohmann::json& element) {
    return ParseModel(element, &output.rewritten);
  });
  RK_RETURN_IF_ERROR(fields.Finish());
  return output;
}

absl::StatusOr<RewriteOutput> ReadRewriteOutput(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const nlohmann::json json, ReadJsonFile(path));
  return RewriteOutputFromJson(json);
}

}  // namespace rekindle
