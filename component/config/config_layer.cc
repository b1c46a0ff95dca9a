#include "component/config/config_layer.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/config/field_value.h"

namespace rekindle {
namespace {

ConfigJson ToJson(const RefusedField::Default& value) {
  return std::visit([](const auto& held) { return ConfigJson(held); }, value);
}

// Lays a layer over a config, field by field.
class Applier {
 public:
  explicit Applier(const ConfigLayer& layer) : layer_(layer) {}

  absl::Status Apply(const ConfigJson& values, const std::string& path,
                     Config& config) const {
    if (!values.is_object()) {
      return Error(path, absl::StrCat("is ", ShortText(values),
                                      ", expected names and values"));
    }
    ConfigFields fields;
    config.Describe(fields);
    for (const auto& [name, value] : values.items()) {
      RK_RETURN_IF_ERROR(ApplyNamed(fields, name, value, JoinPath(path, name)));
    }
    return absl::OkStatus();
  }

 private:
  // `what` follows the path.
  absl::Status Error(const std::string& path, const std::string& what) const {
    const auto line = layer_.lines.find(path);
    return absl::InvalidArgumentError(absl::StrCat(
        layer_.source,
        line == layer_.lines.end() ? "" : absl::StrCat(":", line->second), ": ",
        path.empty() ? "the whole" : path, " ", what));
  }

  absl::Status ApplyNamed(const ConfigFields& fields, const std::string& name,
                          const ConfigJson& value,
                          const std::string& path) const {
    const ConfigField* field = fields.Find(name);
    if (field == nullptr) return ApplyUnknown(fields, name, value, path);
    if (fields.is_choice() && name == "type" && value.is_string()) {
      const std::string problem = TypeProblem(fields, value);
      if (!problem.empty()) return Error(path, problem);
    }
    return ApplyField(*field, value, path);
  }

  // A name that is refused, or that nobody knows.
  absl::Status ApplyUnknown(const ConfigFields& fields, const std::string& name,
                            const ConfigJson& value,
                            const std::string& path) const {
    const RefusedField* refused = fields.FindRefused(name);
    if (refused == nullptr) {
      return Error(path, absl::StrCat("is unknown; ",
                                      Suggestion(name, FieldNames(fields))));
    }
    if (value == ToJson(refused->default_value)) return absl::OkStatus();
    return Error(path, absl::StrCat("is ", ShortText(value),
                                    ", but cannot be set: ", refused->reason));
  }

  absl::Status ApplyField(const ConfigField& field, const ConfigJson& value,
                          const std::string& path) const {
    if (const auto* config = std::get_if<Config*>(&field.target())) {
      return Apply(value, path, **config);
    }
    if (const auto* children = std::get_if<ConfigChildren>(&field.target())) {
      return ApplyChildren(*children, value, path);
    }
    if (SetFieldValue(field, value)) return absl::OkStatus();
    return Error(path, absl::StrCat("is ", ShortText(value), ", expected ",
                                    ExpectedValue(field)));
  }

  absl::Status ApplyChildren(const ConfigChildren& children,
                             const ConfigJson& value,
                             const std::string& path) const {
    if (value.is_null()) {
      children.clear();
      return absl::OkStatus();
    }
    if (!children.is_map) return Apply(value, path, *children.find_or_make(""));
    if (!value.is_object()) {
      return Error(path, absl::StrCat("is ", ShortText(value),
                                      ", expected names and values"));
    }
    for (const auto& [name, child] : value.items()) {
      RK_RETURN_IF_ERROR(
          Apply(child, JoinPath(path, name), *children.find_or_make(name)));
    }
    return absl::OkStatus();
  }

  const ConfigLayer& layer_;
};

void Merge(ConfigJson value, ConfigJson& into) {
  if (!value.is_object() || !into.is_object()) {
    into = std::move(value);
    return;
  }
  for (auto& [name, inner] : value.items()) Merge(std::move(inner), into[name]);
}

}  // namespace

absl::Status ApplyLayer(const ConfigLayer& layer, Config& config) {
  return Applier(layer).Apply(layer.values, "", config);
}

void PutAt(const std::string& path, ConfigJson value, ConfigJson& tree) {
  const size_t dot = path.find('.');
  if (dot == std::string::npos) return Merge(std::move(value), tree[path]);
  ConfigJson& inner = tree[path.substr(0, dot)];
  if (!inner.is_object()) inner = ConfigJson::object();
  PutAt(path.substr(dot + 1), std::move(value), inner);
}

}  // namespace rekindle
