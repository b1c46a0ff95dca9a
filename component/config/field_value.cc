#include "component/config/field_value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/nearest_name.h"

namespace rekindle {
namespace {

constexpr size_t kLongestText = 120;

// Each overload reads one type, and answers whether the value is of that type.
bool Read(const ConfigJson& value, bool* out) {
  if (!value.is_boolean()) return false;
  *out = value.get<bool>();
  return true;
}

bool Read(const ConfigJson& value, int64_t* out) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > kMost) return false;
  *out = value.get<int64_t>();
  return true;
}

bool Read(const ConfigJson& value, double* out) {
  if (!value.is_number()) return false;
  *out = value.get<double>();
  return std::isfinite(*out);
}

bool Read(const ConfigJson& value, std::string* out) {
  if (!value.is_string()) return false;
  *out = value.get<std::string>();
  return true;
}

template <typename T>
bool Read(const ConfigJson& value, std::vector<T>* out) {
  if (!value.is_array()) return false;
  for (const ConfigJson& element : value) {
    T read{};
    if (!Read(element, &read)) return false;
    out->push_back(std::move(read));
  }
  return true;
}

template <typename T>
bool Read(const ConfigJson& value, std::optional<T>* out) {
  if (value.is_null()) return true;
  return Read(value, &out->emplace());
}

// Each overload answers whether a value keeps the rules of its field.
bool Keeps(const ConfigField& /*field*/, bool /*value*/) { return true; }

bool Keeps(const ConfigField& field, int64_t value) {
  return field.Allows(static_cast<double>(value));
}

bool Keeps(const ConfigField& field, double value) {
  return field.Allows(value);
}

bool Keeps(const ConfigField& field, const std::string& value) {
  return field.Allows(value) && field.AllowsCount(value.size());
}

template <typename T>
bool Keeps(const ConfigField& field, const std::vector<T>& value) {
  return field.AllowsCount(value.size()) &&
         std::ranges::all_of(value, [&](const T& element) {
           if constexpr (std::is_same_v<T, std::string>) {
             return field.Allows(element);
           } else {
             return Keeps(field, element);
           }
         });
}

template <typename T>
bool Keeps(const ConfigField& field, const std::optional<T>& value) {
  return !value.has_value() || Keeps(field, *value);
}

// Names of the types.
std::string TypeName(const bool*) { return "true or false"; }
std::string TypeName(const int64_t*) { return "an integer"; }
std::string TypeName(const double*) { return "a number"; }
std::string TypeName(const std::string*) { return "a string"; }
std::string TypeName(const std::vector<bool>*) { return "a list of booleans"; }
std::string TypeName(const std::vector<int64_t>*) {
  return "a list of integers";
}
std::string TypeName(const std::vector<double>*) { return "a list of numbers"; }
std::string TypeName(const std::vector<std::string>*) {
  return "a list of strings";
}
template <typename T>
std::string TypeName(const std::optional<T>*) {
  return absl::StrCat(TypeName(static_cast<const T*>(nullptr)), " or null");
}

template <typename T>
ConfigJson Write(const T& value) {
  return value;
}
template <typename T>
ConfigJson Write(const std::optional<T>& value) {
  return value.has_value() ? ConfigJson(*value) : ConfigJson(nullptr);
}

// Calls `visit` with the pointer to the field's value; the other kinds of field
// get `otherwise`.
template <typename Result, typename Visitor>
Result VisitValue(const ConfigField& field, Result otherwise, Visitor visit) {
  return std::visit(
      [&](const auto& target) -> Result {
        using Target = std::decay_t<decltype(target)>;
        if constexpr (std::is_same_v<Target, Config*> ||
                      std::is_same_v<Target, ConfigChildren>) {
          return otherwise;
        } else {
          return visit(target);
        }
      },
      field.target());
}

// The strings between commas, without the spaces around them.
ConfigJson SplitAtCommas(const std::string& text) {
  ConfigJson list = ConfigJson::array();
  for (std::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (!part.empty()) list.push_back(std::string(part));
  }
  return list;
}

}  // namespace

bool SetFieldValue(const ConfigField& field, const ConfigJson& value) {
  if (field.or_comma_list() && value.is_string()) {
    return SetFieldValue(field, SplitAtCommas(value.get<std::string>()));
  }
  return VisitValue(field, false, [&](auto* target) {
    std::decay_t<decltype(*target)> read{};
    const bool is_null = field.or_null() && value.is_null();
    if (!is_null && (!Read(value, &read) || !Keeps(field, read))) return false;
    *target = std::move(read);
    return true;
  });
}

ConfigJson FieldValue(const ConfigField& field) {
  return VisitValue(field, ConfigJson(),
                    [](const auto* target) { return Write(*target); });
}

bool KeepsRules(const ConfigField& field) {
  return VisitValue(field, true,
                    [&](const auto* target) { return Keeps(field, *target); });
}

std::string ExpectedValue(const ConfigField& field) {
  const std::string rules = field.Rules();
  const std::string type =
      VisitValue(field, std::string("names and values"),
                 [](const auto* target) { return TypeName(target); });
  return absl::StrCat(type, field.or_comma_list() ? " or one with commas" : "",
                      rules.empty() ? "" : ", ", rules);
}

std::string TypeProblem(const ConfigFields& choice, const std::string& type) {
  const std::vector<std::string> choices = choice.Choices();
  if (type.empty() || std::ranges::find(choices, type) != choices.end()) {
    return "";
  }
  if (const RefusedField* refused = choice.FindRefused(type)) {
    return absl::StrCat("cannot be '", type, "': ", refused->reason);
  }
  return absl::StrCat("is '", type, "', which is unknown; ",
                      Suggestion(type, choices));
}

std::string JoinPath(const std::string& path, const std::string& name) {
  const bool both = !path.empty() && !name.empty();
  return absl::StrCat(path, both ? "." : "", name);
}

std::vector<std::string> FieldNames(const ConfigFields& fields) {
  std::vector<std::string> names;
  for (const ConfigField& field : fields.fields()) {
    names.push_back(field.name());
  }
  return names;
}

std::string Suggestion(const std::string& typed,
                       const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = NearestName(typed, names);
  if (nearest.has_value())
    return absl::StrCat("did you mean '", *nearest, "'?");
  return absl::StrCat("there are: ", absl::StrJoin(names, ", "));
}

std::string ShortText(const ConfigJson& value) {
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false,
                                ConfigJson::error_handler_t::replace);
  if (text.size() <= kLongestText) return text;
  return absl::StrCat(text.substr(0, kLongestText), "...");
}

}  // namespace rekindle
