#include "component/contract/component_output.h"

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/contract/json_fields.h"
#include "component/contract/json_file.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

// Reads an object whose values are plain.
JsonFields::Parser PlainValuesInto(json& values) {
  return [&values](const json& object) {
    if (!object.is_object()) {
      return absl::InvalidArgumentError("it must be an object");
    }
    for (const auto& [name, value] : object.items()) {
      if (value.is_primitive() && !value.is_null()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the value of '", name, "' is ", value.type_name(),
                       ", expected a number, text, true or false"));
    }
    values = object;
    return absl::OkStatus();
  };
}

absl::Status ParseOutput(const json& value, ComponentOutput::Output& output) {
  if (!value.is_object()) {
    return absl::InvalidArgumentError("it must be an object");
  }
  JsonFields fields(value, "output");
  fields.ReadOptional("properties", PlainValuesInto(output.properties));
  fields.ReadOptional("custom_properties",
                      PlainValuesInto(output.custom_properties));
  return fields.Finish();
}

absl::Status ParseOutputs(const json& value,
                          std::map<std::string, ComponentOutput::Output>& out) {
  if (!value.is_object()) {
    return absl::InvalidArgumentError("it must be an object");
  }
  for (const auto& [key, output] : value.items()) {
    RK_RETURN_IF_ERROR(ParseOutput(output, out[key]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComponentOutput> ComponentOutputFromJson(const json& value) {
  if (!value.is_object()) {
    return absl::InvalidArgumentError("executor output: it must be an object");
  }
  ComponentOutput output;
  JsonFields fields(value, "executor output");
  if (value.contains("error")) fields.Read("error", &output.error);
  if (value.contains("metrics")) fields.Read("metrics", &output.metrics);
  fields.ReadOptional("outputs", [&output](const json& outputs) {
    return ParseOutputs(outputs, output.outputs);
  });
  fields.ReadOptional("execution_properties",
                      PlainValuesInto(output.execution_properties));
  RK_RETURN_IF_ERROR(fields.Finish());
  return output;
}

absl::StatusOr<ComponentOutput> ReadComponentOutput(const std::string& path) {
  absl::StatusOr<json> value = ReadJsonFile(path);
  if (absl::IsNotFound(value.status())) return ComponentOutput{};
  RK_RETURN_IF_ERROR(value.status());
  return ComponentOutputFromJson(*value);
}

}  // namespace rekindle
