#include "component/steps/typed_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Value;

// Numbers begin so; "nan", "inf" and " 3" are text.
bool LooksLikeANumber(absl::string_view text) {
  if (text.empty() || absl::ascii_isspace(text.back())) return false;
  const char first = text.front();
  return absl::ascii_isdigit(first) || first == '-' || first == '+' ||
         first == '.';
}

absl::Status NotDeclared(const ml_metadata::ArtifactType& type,
                         const std::string& name) {
  std::vector<std::string> declared;
  for (const auto& [property, kind] : type.properties()) {
    declared.push_back(property);
  }
  std::sort(declared.begin(), declared.end());
  const std::optional<std::string> nearest = NearestName(name, declared);
  std::string hint = "it declares none; a custom property takes any name";
  if (nearest.has_value()) {
    hint = absl::StrCat("did you mean '", *nearest, "'?");
  } else if (!declared.empty()) {
    hint = absl::StrCat("it declares: ", absl::StrJoin(declared, ", "));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "type ", type.name(), " has no property '", name, "'; ", hint));
}

bool IsOfKind(const Value& value, ml_metadata::PropertyType kind) {
  switch (kind) {
    case ml_metadata::INT:
      return value.has_int_value();
    case ml_metadata::DOUBLE:
      return value.has_double_value();
    case ml_metadata::STRING:
      return value.has_string_value();
    default:
      return false;
  }
}

}  // namespace

Value ValueByLooks(const std::string& text) {
  int64_t integer = 0;
  double number = 0;
  if (LooksLikeANumber(text)) {
    if (absl::SimpleAtoi(text, &integer)) return IntValue(integer);
    if (absl::SimpleAtod(text, &number) && std::isfinite(number)) {
      return DoubleValue(number);
    }
  }
  return StringValue(text);
}

Value ValueFromJson(const nlohmann::json& json) {
  if (json.is_boolean()) return IntValue(json.get<bool>() ? 1 : 0);
  if (json.is_number_integer()) return IntValue(json.get<int64_t>());
  if (json.is_number()) return DoubleValue(json.get<double>());
  if (json.is_string()) return StringValue(json.get<std::string>());
  return StringValue(json.dump());
}

nlohmann::json ValueToJson(const Value& value) {
  if (value.has_int_value()) return value.int_value();
  if (value.has_double_value() && std::isfinite(value.double_value())) {
    return value.double_value();
  }
  if (value.has_bool_value()) return value.bool_value();
  return ValueToText(value);
}

std::string ValueToText(const Value& value) {
  switch (value.value_case()) {
    case Value::kIntValue:
      return absl::StrCat(value.int_value());
    case Value::kDoubleValue:
      return ShortestDecimal(value.double_value());
    case Value::kBoolValue:
      return value.bool_value() ? "true" : "false";
    case Value::kStringValue:
      return value.string_value();
    default:
      return value.ShortDebugString();
  }
}

absl::StatusOr<Value> AsDeclared(const ml_metadata::ArtifactType& type,
                                 const std::string& name, const Value& value) {
  const auto declared = type.properties().find(name);
  if (declared == type.properties().end()) return NotDeclared(type, name);
  const ml_metadata::PropertyType kind = declared->second;
  if (IsOfKind(value, kind)) return value;
  if (kind == ml_metadata::DOUBLE && value.has_int_value()) {
    return DoubleValue(static_cast<double>(value.int_value()));
  }
  if (kind == ml_metadata::STRING) return StringValue(ValueToText(value));
  return absl::InvalidArgumentError(
      absl::StrCat("property '", name, "' of type ", type.name(), " is ",
                   ml_metadata::PropertyType_Name(kind), "; '",
                   ValueToText(value), "' is not"));
}

}  // namespace rekindle
