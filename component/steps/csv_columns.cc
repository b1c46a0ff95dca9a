#include "component/steps/csv_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/feature.pb.h"

namespace rekindle {
namespace {

ColumnKind KindOf(const std::string& field) {
  int64_t integer = 0;
  if (absl::SimpleAtoi(field, &integer)) return ColumnKind::kInt;
  float number = 0;
  if (absl::SimpleAtof(field, &number)) return ColumnKind::kFloat;
  return ColumnKind::kBytes;
}

tensorflow::Feature ToFeature(const std::string& field, ColumnKind kind) {
  tensorflow::Feature feature;
  int64_t integer = 0;
  float number = 0;
  if (kind == ColumnKind::kInt && absl::SimpleAtoi(field, &integer)) {
    feature.mutable_int64_list()->add_value(integer);
  } else if (kind == ColumnKind::kFloat && absl::SimpleAtof(field, &number)) {
    feature.mutable_float_list()->add_value(number);
  } else {
    feature.mutable_bytes_list()->add_value(field);
  }
  return feature;
}

}  // namespace

CsvColumns::CsvColumns(std::vector<std::string> names,
                       std::set<std::string> null_values)
    : names_(std::move(names)),
      null_values_(std::move(null_values)),
      kinds_(names_.size(), ColumnKind::kEmpty) {}

bool CsvColumns::IsNull(const std::string& field) const {
  return field.empty() || null_values_.contains(field);
}

void CsvColumns::Learn(const std::vector<std::string>& fields) {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (kinds_[i] == ColumnKind::kBytes || IsNull(fields[i])) continue;
    kinds_[i] = std::max(kinds_[i], KindOf(fields[i]));
  }
}

tensorflow::Example CsvColumns::ToExample(
    const std::vector<std::string>& fields) const {
  tensorflow::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (size_t i = 0; i < names_.size(); ++i) {
    features[names_[i]] = IsNull(fields[i]) ? tensorflow::Feature()
                                            : ToFeature(fields[i], kinds_[i]);
  }
  return example;
}

}  // namespace rekindle
