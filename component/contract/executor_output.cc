#include "component/contract/executor_output.h"

#include <utility>

#include "base/status_macros.h"
#include "component/contract/executor_error.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"

namespace rekindle {
namespace {

nlohmann::json WarmStartToJson(const std::optional<WarmStartReport>& report) {
  if (!report.has_value()) return nullptr;
  nlohmann::json variables = nlohmann::json::array();
  for (const WarmStartVariable& variable : report->variables) {
    variables.push_back({{"name", variable.name},
                         {"restored", variable.restored},
                         {"reason", variable.reason}});
  }
  return {{"base_model", report->base_model},
          {"variables", std::move(variables)}};
}

nlohmann::json MetricsToJson(const std::map<std::string, double>& metrics) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : metrics) json[name] = NumberToJson(value);
  return json;
}

absl::Status ParseVariable(const nlohmann::json& json,
                           std::vector<WarmStartVariable>* variables) {
  WarmStartVariable variable;
  JsonFields fields(json, "variable");
  fields.Read("name", &variable.name);
  fields.Read("restored", &variable.restored);
  fields.Read("reason", &variable.reason);
  RK_RETURN_IF_ERROR(fields.Finish());
  variables->push_back(std::move(variable));
  return absl::OkStatus();
}

absl::Status ParseWarmStart(const nlohmann::json& json,
                            std::optional<WarmStartReport>* report) {
  WarmStartReport parsed;
  JsonFields fields(json, "warm start report");
  fields.Read("base_model", &parsed.base_model);
  fields.ReadList("variables", [&parsed](const nlohmann::json& element) {
    return ParseVariable(element, &parsed.variables);
  });
  RK_RETURN_IF_ERROR(fields.Finish());
  *report = std::move(parsed);
  return absl::OkStatus();
}

}  // namespace

nlohmann::json ToJson(const ExecutorOutput& output) {
  nlohmann::json json = {
      {"error", ToJson(output.error)},
      {"train_complete", output.train_complete},
      {"global_step", output.global_step},
      {"resumed_from_step", nullptr},
      {"metrics", MetricsToJson(output.metrics)},
      {"warm_start", WarmStartToJson(output.warm_start)},
      {"environment", output.environment},
  };
  if (output.resumed_from_step.has_value()) {
    json["resumed_from_step"] = *output.resumed_from_step;
  }
  return json;
}

absl::StatusOr<ExecutorOutput> ExecutorOutputFromJson(
    const nlohmann::json& json) {
  ExecutorOutput output;
  JsonFields fields(json, "executor output");
  fields.ReadOptional("error", [&output](const nlohmann::json& value) {
    return ParseExecutorError(value, &output.error);
  });
  fields.Read("train_complete", &output.train_complete);
  fields.Read("global_step", &output.global_step);
  fields.Read("resumed_from_step", &output.resumed_from_step);
  fields.Read("metrics", &output.metrics);
  fields.ReadOptional("warm_start", [&output](const nlohmann::json& value) {
    return ParseWarmStart(value, &output.warm_start);
  });
  fields.Read("environment", &output.environment);
  RK_RETURN_IF_ERROR(fields.Finish());
  return output;
}

absl::StatusOr<ExecutorOutput> ReadExecutorOutput(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const nlohmann::json json, ReadJsonFile(path));
  return ExecutorOutputFromJson(json);
}

absl::Status WriteExecutorOutput(const ExecutorOutput& output,
                                 const std::string& path) {
  return WriteJsonFile(ToJson(output), path);
}

}  // namespace rekindle
