#include "component/config/yaml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/yaml_limits.h"
#include "component/config/field_value.h"
#include "yaml-cpp/yaml.h"

namespace rekindle {
namespace {

// Of all the paths that lines are known by; far more than any configuration
// has.
constexpr size_t kMostPathBytes = size_t{16} << 20;

bool IsOneOf(std::string_view text, std::vector<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

size_t CountDigits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, absl::ascii_isdigit);
  return end - text.begin();
}

// Whether it is an integer or a number of YAML's core schema.
bool IsDecimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  size_t digits = CountDigits(text);
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const size_t decimals = CountDigits(text);
    text.remove_prefix(decimals);
    digits += decimals;
  }
  if (digits == 0 || text.empty()) return digits > 0;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

// An integer that does not fit is a number, as large as it says.
ConfigJson ParseDecimal(const std::string& text) {
  int64_t integer = 0;
  if (absl::SimpleAtoi(text, &integer)) return integer;
  double number = 0;
  (void)absl::SimpleAtod(text, &number);  // overflow is infinity
  return number;
}

// The value of a scalar that is not quoted.
ConfigJson ParsePlain(const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (IsOneOf(text, {"true", "True", "TRUE"})) return true;
  if (IsOneOf(text, {"false", "False", "FALSE"})) return false;
  if (IsDecimal(text)) return ParseDecimal(text);
  const bool octal = text.starts_with("0o");
  if (octal || text.starts_with("0x")) {
    char* end = nullptr;
    const int64_t value = std::strtoll(text.c_str() + 2, &end, octal ? 8 : 16);
    if (text.size() > 2 && *end == '\0') return value;
  }
  return text;
}

class Converter {
 public:
  explicit Converter(ConfigLayer& layer) : layer_(layer) {}

  absl::StatusOr<ConfigJson> Convert(const YAML::Node& node,
                                     const std::string& path) {
    path_bytes_ += path.size();
    if (path_bytes_ > kMostPathBytes) {
      return Error(node, "its names are far too long");
    }
    layer_.lines[path] = Line(node);
    if (node.IsMap()) return ConvertMap(node, path);
    if (node.IsSequence()) return ConvertSequence(node, path);
    return ConvertScalar(node);
  }

 private:
  static int Line(const YAML::Node& node) { return node.Mark().line + 1; }

  absl::Status Error(const YAML::Node& node, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(layer_.source, ":", Line(node), ": ", what));
  }

  absl::StatusOr<ConfigJson> ConvertMap(const YAML::Node& node,
                                        const std::string& path) {
    ConfigJson object = ConfigJson::object();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) {
        return Error(entry.first, "a name must be a plain word");
      }
      const std::string name = entry.first.Scalar();
      if (object.contains(name)) {
        return Error(entry.first, absl::StrCat("'", name, "' is there twice"));
      }
      const std::string inner = JoinPath(path, name);
      RK_ASSIGN_OR_RETURN(object[name], Convert(entry.second, inner));
      layer_.lines[inner] = Line(entry.first);
    }
    return object;
  }

  absl::StatusOr<ConfigJson> ConvertSequence(const YAML::Node& node,
                                             const std::string& path) {
    ConfigJson list = ConfigJson::array();
    for (const YAML::Node& element : node) {
      const std::string inner = absl::StrCat(path, "[", list.size(), "]");
      RK_ASSIGN_OR_RETURN(ConfigJson value, Convert(element, inner));
      list.push_back(std::move(value));
    }
    return list;
  }

  absl::StatusOr<ConfigJson> ConvertScalar(const YAML::Node& node) const {
    if (!node.IsScalar()) return nullptr;
    const std::string& tag = node.Tag();
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return node.Scalar();
    if (tag.empty() || tag == "?") return ParsePlain(node.Scalar());
    return Error(node, absl::StrCat("the tag ", tag, " is not supported"));
  }

  ConfigLayer& layer_;
  size_t path_bytes_ = 0;
};

// The value of a JSON text; discarded where it is none, or is nested deeper
// than YAML may be.
ConfigJson ParseJson(const std::string& text) {
  bool deep = false;
  ConfigJson json = ConfigJson::parse(
      text,
      [&deep](int depth, ConfigJson::parse_event_t, const ConfigJson&) {
        deep |= depth > static_cast<int>(kDeepestYaml);
        return !deep;
      },
      /*allow_exceptions=*/false);
  return deep ? ConfigJson(ConfigJson::value_t::discarded) : json;
}

absl::StatusOr<ConfigLayer> ConvertDocument(const std::string& source,
                                            const YAML::Node& document) {
  ConfigLayer layer{.source = source};
  RK_ASSIGN_OR_RETURN(layer.values, Converter(layer).Convert(document, ""));
  return layer;
}

// Whether a reader of YAML 1.1 or 1.2 takes it, unquoted, for this string.
bool IsPlainString(const std::string& text) {
  constexpr std::array<std::string_view, 9> kWords = {
      "null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const bool is_word = std::ranges::any_of(kWords, [&](std::string_view word) {
    return absl::EqualsIgnoreCase(word, text);
  });
  const auto is_plain = [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '/' || c == '.' ||
           c == '-';
  };
  return !text.empty() && !is_word &&
         (absl::ascii_isalpha(text[0]) || text[0] == '/') &&
         std::ranges::all_of(text, is_plain);
}

// YAML 1.1 takes 1e-07 for a string: a number has a point.
std::string NumberText(const ConfigJson& number) {
  std::string text = number.dump();
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos || text.find('.') != std::string::npos) {
    return text;
  }
  return text.insert(exponent, ".0");
}

void Emit(const ConfigJson& value, YAML::Emitter& out);

void EmitString(const std::string& text, YAML::Emitter& out) {
  if (!IsPlainString(text)) out << YAML::DoubleQuoted;
  out << text;
}

void EmitScalar(const ConfigJson& value, YAML::Emitter& out) {
  if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << (value.is_number_float() ? NumberText(value) : value.dump());
  }
}

void EmitObject(const ConfigJson& object, YAML::Emitter& out) {
  if (object.empty()) out << YAML::Flow;
  out << YAML::BeginMap;
  for (const auto& [name, value] : object.items()) {
    out << YAML::Key;
    EmitString(name, out);
    out << YAML::Value;
    Emit(value, out);
  }
  out << YAML::EndMap;
}

void Emit(const ConfigJson& value, YAML::Emitter& out) {
  if (value.is_object()) return EmitObject(value, out);
  if (value.is_string()) return EmitString(value.get<std::string>(), out);
  if (!value.is_array()) return EmitScalar(value, out);
  out << YAML::Flow << YAML::BeginSeq;
  for (const ConfigJson& element : value) Emit(element, out);
  out << YAML::EndSeq;
}

}  // namespace

absl::StatusOr<ConfigLayer> ParseYaml(const std::string& source,
                                      const std::string& text) {
  if (const auto excess = FindYamlExcess(text); excess.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(source, ":", excess->line, ": ", excess->what));
  }
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return ConfigLayer{source, nullptr, {}};
    if (documents.size() == 1) return ConvertDocument(source, documents[0]);
  } catch (const YAML::Exception& error) {
    // What JSON allows and yaml-cpp does not, such as tabs.
    ConfigJson json = ParseJson(text);
    if (!json.is_discarded()) return ConfigLayer{source, std::move(json), {}};
    return absl::InvalidArgumentError(absl::StrCat(
        source, ":", error.mark.line + 1, ": this is not YAML: ", error.msg));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(source, ": has more than one YAML document, expected one"));
}

std::string WriteYaml(const ConfigJson& values) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  Emit(values, out);
  return absl::StrCat(out.c_str(), "\n");
}

}  // namespace rekindle
