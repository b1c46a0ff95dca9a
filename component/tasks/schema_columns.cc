#include "component/tasks/schema_columns.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/features/schema_file.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"

namespace rekindle {
namespace {

namespace tfmd = ::tensorflow::metadata::v0;

constexpr int64_t kMostClasses = 10'000;

// The classes of an INT label; none when its domain does not bound them.
std::vector<std::string> IntegerClasses(const IntegerRange& range) {
  std::vector<std::string> classes;
  if (range.max < range.min || range.max - range.min >= kMostClasses) return {};
  for (int64_t value = range.min; value <= range.max; ++value) {
    classes.push_back(absl::StrCat(value));
  }
  return classes;
}

absl::StatusOr<LabelColumn> MakeLabel(const tfmd::Schema& schema,
                                      const tfmd::Feature& feature) {
  LabelColumn label{.name = feature.name(),
                    .classes = {},
                    .is_integer = feature.type() == tfmd::INT,
                    .first_value = 0};
  if (feature.type() == tfmd::BYTES) {
    label.classes = SchemaWords(schema, feature);
  } else if (const auto range = SchemaRange(schema, feature);
             label.is_integer && range.has_value()) {
    label.first_value = range->min;
    label.classes = IntegerClasses(*range);
  }
  if (label.classes.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "label '", feature.name(), "' has no classes to tell apart: a ",
        tfmd::FeatureType_Name(feature.type()),
        " label needs a string domain (BYTES) or an int domain with min and "
        "max (INT) of at least two values in the schema"));
  }
  return label;
}

bool IsMultivalent(const tfmd::Feature& feature) {
  if (feature.has_value_count()) return feature.value_count().max() > 1;
  int64_t values = 1;
  for (const auto& dim : feature.shape().dim()) values *= dim.size();
  return values != 1;
}

// Adds a feature to the columns, or a note that says why not.
void AddFeature(const tfmd::Schema& schema, const tfmd::Feature& feature,
                SchemaColumns* out) {
  const auto leave_out = [&](absl::string_view why) {
    out->notes.push_back(
        absl::StrCat("feature '", feature.name(), "' is not used: ", why));
  };
  if (feature.deprecated()) return leave_out("it is deprecated");
  if (IsMultivalent(feature)) return leave_out("it may hold several values");
  if (feature.type() == tfmd::FLOAT || feature.type() == tfmd::INT) {
    out->columns.numeric.push_back(
        {.name = feature.name(), .is_integer = feature.type() == tfmd::INT});
    return;
  }
  if (feature.type() != tfmd::BYTES)
    return leave_out("its type has no use here");
  std::vector<std::string> vocabulary = SchemaWords(schema, feature);
  if (vocabulary.empty()) return leave_out("it has no string domain");
  out->columns.categorical.push_back(
      {.name = feature.name(), .vocabulary = std::move(vocabulary)});
}

absl::Status NoLabel(const tfmd::Schema& schema, const std::string& name,
                     const std::string& label_key) {
  const std::string features = absl::StrJoin(
      schema.feature(), ", ", [](std::string* out, const tfmd::Feature& f) {
        absl::StrAppend(out, f.name());
      });
  return absl::InvalidArgumentError(
      absl::StrCat("schema '", name, "' has no feature '", label_key,
                   "', which label_key names; it has: ", features));
}

}  // namespace

absl::StatusOr<SchemaColumns> ParseSchemaColumns(const std::string& text,
                                                 const std::string& name,
                                                 const std::string& label_key) {
  RK_ASSIGN_OR_RETURN(const tfmd::Schema schema, ParseSchema(text, name));
  SchemaColumns out;
  bool has_label = false;
  for (const tfmd::Feature& feature : schema.feature()) {
    if (feature.name() != label_key) {
      AddFeature(schema, feature, &out);
      continue;
    }
    RK_ASSIGN_OR_RETURN(out.columns.label, MakeLabel(schema, feature));
    has_label = true;
  }
  if (!has_label) return NoLabel(schema, name, label_key);
  if (out.columns.numeric.empty() && out.columns.categorical.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "schema '", name, "' has no feature to learn '", label_key, "' from"));
  }
  return out;
}

absl::StatusOr<SchemaColumns> ReadSchemaColumns(const std::string& path,
                                                const std::string& label_key) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  return ParseSchemaColumns(text, path, label_key);
}

}  // namespace rekindle
