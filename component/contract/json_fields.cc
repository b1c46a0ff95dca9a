#include "component/contract/json_fields.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool FitsInt64(const nlohmann::json& json) {
  if (!json.is_number_integer()) return false;
  if (!json.is_number_unsigned()) return true;
  return json.get<uint64_t>() <=
         static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

std::optional<double> NumberFromJson(const nlohmann::json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json == "Infinity") return kInfinity;
  if (json == "-Infinity") return -kInfinity;
  return std::nullopt;
}

}  // namespace

nlohmann::json NumberToJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

JsonFields::JsonFields(const nlohmann::json& json, absl::string_view what)
    : json_(json), what_(what) {
  if (!json.is_object()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        what_, " is a JSON ", json.type_name(), ", not an object"));
  }
}

void JsonFields::Read(absl::string_view key, std::string* value) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr) return;
  if (!found->is_string()) return Fail(key, "a string");
  *value = found->get<std::string>();
}

void JsonFields::Read(absl::string_view key, int64_t* value) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr) return;
  if (!FitsInt64(*found)) return Fail(key, "a 64-bit integer");
  *value = found->get<int64_t>();
}

void JsonFields::Read(absl::string_view key, bool* value) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr) return;
  if (!found->is_boolean()) return Fail(key, "true or false");
  *value = found->get<bool>();
}

void JsonFields::Read(absl::string_view key, std::optional<int64_t>* value) {
  const nlohmann::json* found = Find(key);
  if (found == nullptr || found->is_null()) return;
  if (!FitsInt64(*found)) return Fail(key, "a 64-bit integer or null");
  *value = found->get<int64_t>();
}

void JsonFields::Read(absl::string_view key, std::vector<std::string>* value) {
  ReadList(key, [value](const nlohmann::json& element) {
    if (!element.is_string()) {
      return absl::InvalidArgumentError("an element is not a string");
    }
    value->push_back(element.get<std::string>());
    return absl::OkStatus();
  });
}

void JsonFields::Read(absl::string_view key,
                      std::map<std::string, std::string>* value) {
  const nlohmann::json* found = RequireMap(key);
  if (found == nullptr) return;
  for (const auto& [name, element] : found->items()) {
    if (!element.is_string()) return Fail(key, "an object of strings");
    (*value)[name] = element.get<std::string>();
  }
}

void JsonFields::Read(absl::string_view key,
                      std::map<std::string, double>* value) {
  const nlohmann::json* found = RequireMap(key);
  if (found == nullptr) return;
  for (const auto& [name, element] : found->items()) {
    const std::optional<double> number = NumberFromJson(element);
    if (!number.has_value()) return Fail(key, "an object of numbers");
    (*value)[name] = *number;
  }
}

void JsonFields::ReadObject(absl::string_view key, nlohmann::json* value) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr) return;
  if (!found->is_object() && !found->is_null()) {
    return Fail(key, "an object or null");
  }
  *value = *found;
}

void JsonFields::ReadOptional(absl::string_view key, const Parser& parser) {
  const nlohmann::json* found = Find(key);
  if (found == nullptr || found->is_null()) return;
  const absl::Status parsed = parser(*found);
  if (!parsed.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(what_, ": '", key, "': ", parsed.message()));
  }
}

void JsonFields::ReadList(absl::string_view key, const Parser& parser) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr) return;
  if (!found->is_array()) return Fail(key, "a list");
  for (const nlohmann::json& element : *found) {
    const absl::Status parsed = parser(element);
    if (parsed.ok()) continue;
    status_ = absl::InvalidArgumentError(
        absl::StrCat(what_, ": '", key, "': ", parsed.message()));
    return;
  }
}

absl::Status JsonFields::Finish() {
  if (!status_.ok()) return status_;
  for (const auto& [key, value] : json_.items()) {
    if (read_.contains(key)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what_, ": unknown key '", key, "'"));
  }
  return absl::OkStatus();
}

const nlohmann::json* JsonFields::Find(absl::string_view key) {
  if (!status_.ok()) return nullptr;
  read_.emplace(key);
  const auto found = json_.find(std::string(key));
  return found == json_.end() ? nullptr : &*found;
}

const nlohmann::json* JsonFields::Require(absl::string_view key) {
  const nlohmann::json* found = Find(key);
  if (found == nullptr && status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(what_, ": key '", key, "' is missing"));
  }
  return found;
}

const nlohmann::json* JsonFields::RequireMap(absl::string_view key) {
  const nlohmann::json* found = Require(key);
  if (found == nullptr || found->is_object()) return found;
  Fail(key, "an object");
  return nullptr;
}

void JsonFields::Fail(absl::string_view key, absl::string_view expected) {
  status_ = absl::InvalidArgumentError(absl::StrCat(
      what_, ": key '", key, "' is ", json_[std::string(key)].type_name(),
      ", expected ", expected));
}

}  // namespace rekindle
