#include "component/evaluation/label_classes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/features/schema_file.h"

namespace rekindle {

absl::StatusOr<std::vector<std::string>> SchemaClasses(
    const std::string& path, const std::string& label_key) {
  if (path.empty()) return std::vector<std::string>{};
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  RK_ASSIGN_OR_RETURN(const auto schema, ParseSchema(text, path));
  std::vector<std::string> names;
  for (const auto& feature : schema.feature()) {
    if (feature.name() == label_key) return SchemaWords(schema, feature);
    names.push_back(feature.name());
  }
  const std::optional<std::string> nearest = NearestName(label_key, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "the schema has no feature '", label_key, "' to be the label; ",
      nearest.has_value() ? absl::StrCat("did you mean '", *nearest, "'?")
                          : "--label-key names it"));
}

LabelClasses::LabelClasses(std::string label_key,
                           std::vector<std::string> names, size_t count)
    : label_key_(std::move(label_key)),
      names_(std::move(names)),
      count_(count) {
  for (size_t i = 0; i < names_.size(); ++i) numbers_.emplace(names_[i], i);
}

absl::StatusOr<double> LabelClasses::NumberOf(const FeatureValue& label) const {
  if (!names_.empty()) {
    const auto found = numbers_.find(FeatureValueText(label));
    if (found == numbers_.end()) return Unknown(label);
    return static_cast<double>(found->second);
  }
  RK_ASSIGN_OR_RETURN(const double number,
                      ::rekindle::NumberOf(label_key_, label));
  const bool is_class = number >= 0 && number < static_cast<double>(count_) &&
                        number == std::trunc(number);
  if (!is_class) return Unknown(label);
  return number;
}

absl::Status LabelClasses::Unknown(const FeatureValue& label) const {
  const std::string text = FeatureValueText(label);
  std::string known = absl::StrCat("0 to ", count_ - 1);
  if (!names_.empty()) {
    const std::optional<std::string> nearest = NearestName(text, names_);
    known = nearest.has_value() ? absl::StrCat("such as '", *nearest, "'")
                                : absl::StrCat("such as '", names_[0], "'");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "label '", label_key_, "' is '", text, "', which is none of the model's ",
      count_, " classes, ", known));
}

absl::StatusOr<double> NumberOf(const std::string& label_key,
                                const FeatureValue& label) {
  if (const auto* integer = std::get_if<int64_t>(&label)) {
    return static_cast<double>(*integer);
  }
  if (const auto* number = std::get_if<float>(&label)) {
    return static_cast<double>(*number);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "label '", label_key, "' is the text '", FeatureValueText(label),
      "', and the model does not say the order of its classes; --schema names "
      "a schema whose domain does"));
}

}  // namespace rekindle
