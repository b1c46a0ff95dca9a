#include "operator/workflow/yaml_scalar.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "operator/expression/value.h"

namespace rekindle::argo {
namespace {

template <size_t N>
bool IsOneOf(const std::string& text,
             const std::array<absl::string_view, N>& words) {
  for (const absl::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

constexpr auto kTrue = std::to_array<absl::string_view>(
    {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
constexpr auto kFalse =
    std::to_array<absl::string_view>({"n", "N", "no", "No", "NO", "false",
                                      "False", "FALSE", "off", "Off", "OFF"});
constexpr auto kNull =
    std::to_array<absl::string_view>({"", "~", "null", "Null", "NULL"});

// 12, -3, 0x1f, 0b101, 0o17 and 017.
std::optional<std::string> WholeText(absl::string_view text) {
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative) absl::ConsumePrefix(&text, "+");
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char letter = absl::ascii_tolower(text[1]);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  if (text.empty() || !absl::ascii_isxdigit(text[0])) return std::nullopt;
  errno = 0;
  char* end = nullptr;
  const std::string digits(text);
  const uint64_t value = std::strtoull(digits.c_str(), &end, base);
  if (errno != 0 || *end != '\0') return std::nullopt;
  if (!negative) return absl::StrCat(value);
  if (value > uint64_t{1} << 63) return std::nullopt;
  return value == 0 ? "0" : absl::StrCat("-", value);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
std::optional<double> FloatOf(const std::string& text) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string::npos ||
      text.find_first_of("0123456789") == std::string::npos) {
    return std::nullopt;
  }
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

bool SetNumber(const std::string& value, YamlNode* node) {
  if (value.empty() ||
      (!absl::ascii_isdigit(value[0]) &&
       absl::string_view("+-.").find(value[0]) == absl::string_view::npos)) {
    return false;
  }
  const std::string plain = absl::StrReplaceAll(value, {{"_", ""}});
  if (const auto whole = WholeText(plain); whole.has_value()) {
    node->text = *whole;
  } else if (const auto number = FloatOf(plain); number.has_value()) {
    node->text = NumberText(*number);
  } else {
    return false;
  }
  node->kind = YamlNode::Kind::kNumber;
  return true;
}

}  // namespace

std::string NumberText(double value) {
  return ToJsonText(Value(value)).value_or("0");
}

void ResolveScalar(const std::string& value, bool plain, const std::string& tag,
                   YamlNode* node) {
  const bool typed =
      absl::EndsWith(tag, ":int") || absl::EndsWith(tag, ":float") ||
      absl::EndsWith(tag, ":bool") || absl::EndsWith(tag, ":null");
  node->kind = YamlNode::Kind::kString;
  node->text = value;
  if (!plain && !typed) return;
  if (IsOneOf(value, kNull)) {
    node->kind = YamlNode::Kind::kNull;
    node->text.clear();
  } else if (IsOneOf(value, kTrue) || IsOneOf(value, kFalse)) {
    node->kind = YamlNode::Kind::kBool;
    node->text = IsOneOf(value, kTrue) ? "true" : "false";
  } else {
    SetNumber(value, node);
  }
}

}  // namespace rekindle::argo
