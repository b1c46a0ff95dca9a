#include "cli/output.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/table.h"
#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace rekindle {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

std::string Dump(const json& value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false,
                    json::error_handler_t::replace);
}

// Whether a reader of YAML, 1.1 or 1.2, takes the plain text for something
// else than a string.
bool IsAmbiguousInYaml(const std::string& text) {
  constexpr std::array<absl::string_view, 11> kWords = {
      "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  for (const absl::string_view word : kWords) {
    if (absl::EqualsIgnoreCase(text, word)) return true;
  }
  // Numbers, dates, hexadecimals, .inf: quoted too often rather than too
  // seldom.
  return absl::ascii_isdigit(text[0]) || text[0] == '.' || text[0] == '-' ||
         text[0] == '+' || text[0] == '=' || text[0] == '<';
}

void EmitText(const std::string& text, YAML::Emitter& out) {
  if (IsAmbiguousInYaml(text)) out << YAML::DoubleQuoted;
  out << text;
}

void Emit(const json& value, YAML::Emitter& out) {
  if (value.is_object()) {
    if (value.empty()) out << YAML::Flow;
    out << YAML::BeginMap;
    for (const auto& [name, field] : value.items()) {
      out << YAML::Key;
      EmitText(name, out);
      out << YAML::Value;
      Emit(field, out);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    if (value.empty()) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const json& element : value) Emit(element, out);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    EmitText(value.get_ref<const std::string&>(), out);
  } else {
    out << Dump(value, -1);
  }
}

void AddRows(const std::string& prefix, const json& value, Rows& rows) {
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) {
      AddRows(prefix.empty() ? name : absl::StrCat(prefix, ".", name), field,
              rows);
    }
  } else if (value.is_string()) {
    rows.push_back({prefix, value.get<std::string>()});
  } else if (value.is_array() && !value.empty() && value[0].is_object()) {
    for (const json& element : value) {
      rows.push_back({prefix, Dump(element, -1)});
    }
  } else {
    rows.push_back({prefix, Dump(value, -1)});
  }
}

}  // namespace

std::string ToJsonText(const json& value) {
  return absl::StrCat(Dump(value, 2), "\n");
}

std::string ToYamlText(const json& value) {
  YAML::Emitter out;
  Emit(value, out);
  return absl::StrCat(out.c_str(), "\n");
}

std::string ToFieldTable(const json& value) {
  Rows rows;
  AddRows("", value, rows);
  return ToTable(rows);
}

std::string Render(const json& value, const std::string& format) {
  if (format == "json") return ToJsonText(value);
  if (format == "yaml") return ToYamlText(value);
  return ToFieldTable(value);
}

}  // namespace rekindle
