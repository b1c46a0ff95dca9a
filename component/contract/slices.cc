#include "component/contract/slices.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/contract/json_fields.h"

namespace rekindle {
namespace {

absl::Status NotAValue() {
  return absl::InvalidArgumentError(
      "expected one of 'bytes' (text), 'int64' (an integer) and 'float' (a "
      "number)");
}

absl::Status ParseFeatureValue(const std::string& kind,
                               const nlohmann::json& json,
                               FeatureValue* value) {
  if (kind == "bytes" && json.is_string()) {
    *value = json.get<std::string>();
  } else if (kind == "int64" && json.is_number_integer()) {
    *value = json.get<int64_t>();
  } else if (kind == "float" && json.is_number()) {
    *value = json.get<float>();
  } else {
    return NotAValue();
  }
  return absl::OkStatus();
}

}  // namespace

std::string FeatureValueText(const FeatureValue& value) {
  if (const auto* bytes = std::get_if<std::string>(&value)) return *bytes;
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return absl::StrCat(*integer);
  }
  return absl::StrCat(std::get<float>(value));
}

std::string SliceKeyText(const SliceKey& key) {
  if (key.empty()) return "all examples";
  return absl::StrJoin(key, ",", [](std::string* out, const SliceValue& part) {
    absl::StrAppend(out, part.feature, "=", FeatureValueText(part.value));
  });
}

bool HasText(const FeatureValue& value, const std::string& text) {
  if (const auto* bytes = std::get_if<std::string>(&value)) {
    return *bytes == text;
  }
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    int64_t wanted = 0;
    return absl::SimpleAtoi(text, &wanted) && wanted == *integer;
  }
  float wanted = 0;
  return absl::SimpleAtof(text, &wanted) && wanted == std::get<float>(value);
}

bool IsSliceOf(const SliceSpec& spec, const SliceKey& key) {
  if (key.size() != spec.features.size() + spec.values.size()) return false;
  return std::all_of(key.begin(), key.end(), [&](const SliceValue& part) {
    const auto fixed = spec.values.find(part.feature);
    if (fixed != spec.values.end()) return HasText(part.value, fixed->second);
    return std::find(spec.features.begin(), spec.features.end(),
                     part.feature) != spec.features.end();
  });
}

nlohmann::json ToJson(const SliceSpec& spec) {
  return {{"features", spec.features}, {"values", spec.values}};
}

nlohmann::json ToJson(const SliceKey& key) {
  nlohmann::json list = nlohmann::json::array();
  for (const SliceValue& part : key) {
    nlohmann::json value = {{"feature", part.feature}};
    if (const auto* bytes = std::get_if<std::string>(&part.value)) {
      value["bytes"] = *bytes;
    } else if (const auto* integer = std::get_if<int64_t>(&part.value)) {
      value["int64"] = *integer;
    } else {
      value["float"] = std::get<float>(part.value);
    }
    list.push_back(std::move(value));
  }
  return list;
}

absl::Status ParseSliceSpec(const nlohmann::json& json, SliceSpec* spec) {
  JsonFields fields(json, "slice");
  fields.Read("features", &spec->features);
  fields.Read("values", &spec->values);
  return fields.Finish();
}

absl::Status ParseSliceValue(const nlohmann::json& json, SliceKey* key) {
  SliceValue part;
  int given = 0;
  JsonFields fields(json, "value of a slice");
  fields.Read("feature", &part.feature);
  for (const char* kind : {"bytes", "int64", "float"}) {
    fields.ReadOptional(kind, [&](const nlohmann::json& value) {
      ++given;
      return ParseFeatureValue(kind, value, &part.value);
    });
  }
  RK_RETURN_IF_ERROR(fields.Finish());
  if (given != 1) return NotAValue();
  key->push_back(std::move(part));
  return absl::OkStatus();
}

}  // namespace rekindle
