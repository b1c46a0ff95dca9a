#include "component/config/config_tree.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/config/field_value.h"
#include "component/config/yaml.h"

namespace rekindle {
namespace {

using NamedConfigs = std::vector<std::pair<std::string, Config*>>;

// Describe takes addresses and changes nothing, so a const config has fields
// too: they are only read here.
ConfigFields FieldsOf(const Config& config) {
  ConfigFields fields;
  const_cast<Config&>(config).Describe(fields);
  return fields;
}

// The configs inside a field, by what follows the field's own path.
NamedConfigs ConfigsIn(const ConfigField& field) {
  if (const auto* config = std::get_if<Config*>(&field.target())) {
    return {{"", *config}};
  }
  if (const auto* children = std::get_if<ConfigChildren>(&field.target())) {
    return children->all();
  }
  return {};
}

bool HoldsConfigs(const ConfigField& field) {
  return std::holds_alternative<Config*>(field.target()) ||
         std::holds_alternative<ConfigChildren>(field.target());
}

bool IsMap(const ConfigField& field) {
  const auto* children = std::get_if<ConfigChildren>(&field.target());
  return children != nullptr && children->is_map;
}

// What a field that nobody set often has.
bool IsUnset(const ConfigJson& value) {
  return value.is_null() || value == 0 || value == "" ||
         value == ConfigJson::array();
}

ConfigJson ValueToJson(const ConfigField& field) {
  ConfigJson value = FieldValue(field);
  return field.or_null() && IsUnset(value) ? ConfigJson() : value;
}

ConfigJson FieldToJson(const ConfigField& field) {
  if (!HoldsConfigs(field)) return ValueToJson(field);
  const NamedConfigs configs = ConfigsIn(field);
  if (!IsMap(field)) {
    return configs.empty() ? ConfigJson() : ConfigToJson(*configs[0].second);
  }
  ConfigJson object = ConfigJson::object();
  for (const auto& [name, config] : configs)
    object[name] = ConfigToJson(*config);
  return object;
}

absl::Status BrokenRule(const ConfigField& field, const std::string& path) {
  const ConfigJson value = FieldValue(field);
  const std::string about =
      field.about().empty() ? "" : absl::StrCat(" (", field.about(), ")");
  return absl::InvalidArgumentError(
      IsUnset(value)
          ? absl::StrCat(path, " must be set: ", ExpectedValue(field), about)
          : absl::StrCat(path, " is ", ShortText(value), ", expected ",
                         ExpectedValue(field)));
}

absl::Status Check(const Config& config, const std::string& path);

absl::Status CheckField(const ConfigField& field, const std::string& path) {
  if (!KeepsRules(field)) return BrokenRule(field, path);
  for (const auto& [name, config] : ConfigsIn(field)) {
    RK_RETURN_IF_ERROR(Check(*config, JoinPath(path, name)));
  }
  return absl::OkStatus();
}

absl::Status CheckType(const ConfigFields& choice, const std::string& path) {
  const std::string problem =
      TypeProblem(choice, FieldValue(*choice.Find("type")));
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, " ", problem));
}

absl::Status Check(const Config& config, const std::string& path) {
  const ConfigFields fields = FieldsOf(config);
  if (fields.is_choice()) {
    RK_RETURN_IF_ERROR(CheckType(fields, JoinPath(path, "type")));
  }
  for (const ConfigField& field : fields.fields()) {
    if (!fields.IsActive(field)) continue;
    RK_RETURN_IF_ERROR(CheckField(field, JoinPath(path, field.name())));
  }
  const absl::Status valid = config.Validate();
  if (valid.ok()) return valid;
  return absl::Status(valid.code(),
                      JoinPath(path, std::string(valid.message())));
}

}  // namespace

ConfigJson ConfigToJson(const Config& config) {
  ConfigJson object = ConfigJson::object();
  const ConfigFields fields = FieldsOf(config);
  for (const ConfigField& field : fields.fields()) {
    if (fields.IsActive(field)) object[field.name()] = FieldToJson(field);
  }
  return object;
}

std::string ConfigToYaml(const Config& config) {
  return WriteYaml(ConfigToJson(config));
}

absl::Status CheckConfig(const Config& config) { return Check(config, ""); }

bool IsActive(const Config& config, const std::string& path) {
  const size_t dot = path.find('.');
  const ConfigFields fields = FieldsOf(config);
  const ConfigField* field = fields.Find(path.substr(0, dot));
  if (field == nullptr || !fields.IsActive(*field)) return false;
  if (dot == std::string::npos) return true;
  std::string rest = path.substr(dot + 1);
  for (const auto& [name, inner] : ConfigsIn(*field)) {
    if (name.empty()) return IsActive(*inner, rest);
    if (rest == name) return true;
    if (rest.starts_with(name + ".")) {
      return IsActive(*inner, rest.substr(name.size() + 1));
    }
  }
  return false;
}

}  // namespace rekindle
