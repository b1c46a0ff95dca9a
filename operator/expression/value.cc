#include "operator/expression/value.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace rekindle::argo {
namespace {

std::string Shortest(double value, std::chars_format format) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                 value, format);
  return std::string(buffer.data(), end.ptr);
}

// Go's JSON: without an exponent between 1e-6 and 1e21, "1e-9" not "1e-09".
std::string JsonFloatText(double value) {
  const double size = std::fabs(value);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return PlainFloatText(value);
  std::string text = Shortest(value, std::chars_format::scientific);
  const size_t e = text.find("e-0");
  if (e != std::string::npos) text.erase(e + 2, 1);
  return text;
}

std::string TimeText(absl::Time time) {
  std::string text =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E*S%Ez", time, absl::UTCTimeZone());
  return absl::StrReplaceAll(text, {{"+00:00", "Z"}});
}

std::string QuotedText(const std::string& text) {
  // Escapes as Go: HTML's characters too, so that a text survives a page.
  const std::string quoted = nlohmann::json(text).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  return absl::StrReplaceAll(quoted, {{"<", "\\u003c"},
                                      {">", "\\u003e"},
                                      {"&", "\\u0026"},
                                      {"\u2028", "\\u2028"},
                                      {"\u2029", "\\u2029"}});
}

class JsonPrinter {
 public:
  explicit JsonPrinter(int indent) : indent_(indent) {}

  absl::Status Print(const Value& value, int depth, std::string* out) {
    if (const auto* list = value.as_list()) return PrintList(*list, depth, out);
    if (const auto* map = value.as_map()) return PrintMap(*map, depth, out);
    if (const double* number = value.as_float()) {
      if (!std::isfinite(*number)) {
        return absl::InvalidArgumentError(
            absl::StrCat("JSON has no number ", FloatText(*number)));
      }
      absl::StrAppend(out, JsonFloatText(*number));
    } else if (const std::string* text = value.as_string()) {
      absl::StrAppend(out, QuotedText(*text));
    } else if (const absl::Time* time = value.as_time()) {
      absl::StrAppend(out, "\"", TimeText(*time), "\"");
    } else if (const absl::Duration* span = value.as_duration()) {
      absl::StrAppend(out, absl::ToInt64Nanoseconds(*span));
    } else {
      absl::StrAppend(out, value.is_nil() ? "null" : ToText(value));
    }
    return absl::OkStatus();
  }

 private:
  void NewLine(int depth, std::string* out) const {
    if (indent_ == 0) return;
    out->push_back('\n');
    out->append(static_cast<size_t>(depth) * indent_, ' ');
  }

  absl::Status PrintList(const Value::List& list, int depth, std::string* out) {
    out->push_back('[');
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out->push_back(',');
      NewLine(depth + 1, out);
      absl::Status printed = Print(list[i], depth + 1, out);
      if (!printed.ok()) return printed;
    }
    if (!list.empty()) NewLine(depth, out);
    out->push_back(']');
    return absl::OkStatus();
  }

  absl::Status PrintMap(const Value::Map& map, int depth, std::string* out) {
    out->push_back('{');
    bool first = true;
    for (const auto& [name, value] : map) {
      if (!first) out->push_back(',');
      first = false;
      NewLine(depth + 1, out);
      absl::StrAppend(out, QuotedText(name), indent_ == 0 ? ":" : ": ");
      absl::Status printed = Print(value, depth + 1, out);
      if (!printed.ok()) return printed;
    }
    if (!map.empty()) NewLine(depth, out);
    out->push_back('}');
    return absl::OkStatus();
  }

  const int indent_;
};

}  // namespace

const Value::List* Value::as_list() const {
  const auto* list = std::get_if<std::shared_ptr<const List>>(&data_);
  return list == nullptr ? nullptr : list->get();
}

const Value::Map* Value::as_map() const {
  const auto* map = std::get_if<std::shared_ptr<const Map>>(&data_);
  return map == nullptr ? nullptr : map->get();
}

double Value::number() const {
  if (const int64_t* whole = as_int()) return static_cast<double>(*whole);
  const double* number = as_float();
  return number == nullptr ? 0 : *number;
}

const char* Value::kind() const {
  static constexpr std::array<const char*, 9> kNames = {
      "nil",   "bool", "int",  "float",   "string",
      "array", "map",  "time", "duration"};
  return kNames.at(data_.index());
}

bool operator==(const Value& a, const Value& b) {
  if (a.as_int() != nullptr && b.as_int() != nullptr) {
    return *a.as_int() == *b.as_int();
  }
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.as_list() != nullptr && b.as_list() != nullptr) {
    return *a.as_list() == *b.as_list();
  }
  if (a.as_map() != nullptr && b.as_map() != nullptr) {
    return *a.as_map() == *b.as_map();
  }
  return a.data_ == b.data_;
}

std::string PlainFloatText(double value) {
  // From 2^53 on that has digits that tell nothing; Go writes zeros there.
  if (!(std::fabs(value) >= 0x1p53)) {
    return Shortest(value, std::chars_format::fixed);
  }
  std::string text = Shortest(value, std::chars_format::scientific);
  const size_t e = text.find('e');  // "-1.25e+17"
  std::string digits = absl::StrReplaceAll(text.substr(0, e), {{".", ""}});
  int exponent = 0;
  if (e == std::string::npos ||
      !absl::SimpleAtoi(text.substr(e + 1), &exponent)) {
    return text;  // infinite
  }
  const size_t sign = value < 0 ? 1 : 0;
  digits.resize(sign + static_cast<size_t>(exponent) + 1, '0');
  return digits;
}

std::string FloatText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  const double size = std::fabs(value);
  return size == 0 || (size >= 1e-4 && size < 1e6)
             ? PlainFloatText(value)
             : Shortest(value, std::chars_format::scientific);
}

Value FromJson(const nlohmann::json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::boolean:
      return Value(json.get<bool>());
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
    case nlohmann::json::value_t::number_float:
      return Value(json.get<double>());
    case nlohmann::json::value_t::string:
      return Value(json.get<std::string>());
    case nlohmann::json::value_t::array: {
      Value::List list;
      for (const nlohmann::json& item : json) list.push_back(FromJson(item));
      return Value(std::move(list));
    }
    case nlohmann::json::value_t::object: {
      Value::Map map;
      for (const auto& [name, item] : json.items()) map[name] = FromJson(item);
      return Value(std::move(map));
    }
    default:
      return Value();
  }
}

absl::StatusOr<std::string> ToJsonText(const Value& value, int indent) {
  std::string text;
  absl::Status printed = JsonPrinter(indent).Print(value, 0, &text);
  if (!printed.ok()) return printed;
  return text;
}

std::string ToText(const Value& value) {
  if (const bool* b = value.as_bool()) return *b ? "true" : "false";
  if (const int64_t* whole = value.as_int()) return absl::StrCat(*whole);
  if (const double* number = value.as_float()) return FloatText(*number);
  if (const std::string* text = value.as_string()) return *text;
  if (const absl::Time* time = value.as_time()) {
    return absl::FormatTime("%Y-%m-%d %H:%M:%E*S +0000 UTC", *time,
                            absl::UTCTimeZone());
  }
  if (const absl::Duration* span = value.as_duration()) {
    return absl::FormatDuration(*span);
  }
  std::string text;
  if (const Value::List* list = value.as_list()) {
    for (const Value& item : *list) {
      absl::StrAppend(&text, text.empty() ? "" : " ", ToText(item));
    }
    return absl::StrCat("[", text, "]");
  }
  if (const Value::Map* map = value.as_map()) {
    for (const auto& [name, item] : *map) {
      absl::StrAppend(&text, text.empty() ? "" : " ", name, ":", ToText(item));
    }
    return absl::StrCat("map[", text, "]");
  }
  return "<nil>";
}

}  // namespace rekindle::argo
