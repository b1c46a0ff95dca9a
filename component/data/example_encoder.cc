#include "component/data/example_encoder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "component/data/csv_columns.h"

namespace rekindle {
namespace {

// Tags of the fields of tf.Example's messages, all length-delimited.
constexpr char Tag(int field) { return static_cast<char>(field << 3 | 2); }
constexpr char kExampleFeatures = Tag(1);
constexpr char kFeaturesEntry = Tag(1);
constexpr char kEntryKey = Tag(1);
constexpr char kEntryValue = Tag(2);
constexpr char kBytesList = Tag(1);
constexpr char kFloatList = Tag(2);
constexpr char kInt64List = Tag(3);
constexpr char kListValue = Tag(1);

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

// How long a field is whose content has `size` bytes.
size_t FieldSize(size_t size) { return 1 + VarintSize(size) + size; }

void AppendHead(char tag, size_t size, std::string& out) {
  out.push_back(tag);
  AppendVarint(size, out);
}

void AppendField(char tag, absl::string_view content, std::string& out) {
  AppendHead(tag, content.size(), out);
  out.append(content.data(), content.size());
}

char ListTag(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kInt:
      return kInt64List;
    case ColumnKind::kFloat:
      return kFloatList;
    default:
      return kBytesList;
  }
}

void AppendIntList(int64_t value, std::string& out) {
  const auto bits = static_cast<uint64_t>(value);
  const size_t size = VarintSize(bits);
  AppendHead(kInt64List, FieldSize(size), out);
  AppendHead(kListValue, size, out);
  AppendVarint(bits, out);
}

void AppendFloatList(float value, std::string& out) {
  AppendHead(kFloatList, FieldSize(sizeof(value)), out);
  AppendHead(kListValue, sizeof(value), out);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (size_t i = 0; i < sizeof(bits); ++i) {
    out.push_back(static_cast<char>(bits >> (8 * i)));
  }
}

void AppendBytesList(absl::string_view value, std::string& out) {
  AppendHead(kBytesList, FieldSize(value.size()), out);
  AppendField(kListValue, value, out);
}

}  // namespace

ExampleEncoder::ExampleEncoder(const CsvColumns& columns, Missing missing)
    : columns_(columns),
      missing_(missing),
      order_(columns.names().size()),
      name_bytes_(columns.names().size()),
      places_(columns.names().size()) {
  const std::vector<std::string>& names = columns.names();
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](size_t a, size_t b) { return names[a] < names[b]; });
  for (size_t i = 0; i < names.size(); ++i) {
    AppendField(kEntryKey, names[i], name_bytes_[i]);
  }
}

void ExampleEncoder::EncodeFeature(absl::string_view cell, ColumnKind kind) {
  feature_.clear();
  if (columns_.IsMissing(cell)) {
    had_missing_ = true;
    if (missing_ == Missing::kEmptyList && kind != ColumnKind::kEmpty) {
      AppendHead(ListTag(kind), 0, feature_);
    }
  } else if (kind == ColumnKind::kInt) {
    AppendIntList(CellAsInt(cell).value_or(0), feature_);
  } else if (kind == ColumnKind::kFloat) {
    AppendFloatList(static_cast<float>(CellAsNumber(cell).value_or(0)),
                    feature_);
  } else {
    AppendBytesList(cell, feature_);
  }
}

absl::string_view ExampleEncoder::Encode(
    const std::vector<absl::string_view>& cells) {
  features_.clear();
  had_missing_ = false;
  for (const size_t column : order_) {
    EncodeFeature(cells[column], columns_.kind(column));
    const std::string& name = name_bytes_[column];
    AppendHead(kFeaturesEntry, name.size() + FieldSize(feature_.size()),
               features_);
    features_ += name;
    AppendHead(kEntryValue, feature_.size(), features_);
    places_[column] = {features_.size(), feature_.size()};
    features_ += feature_;
  }
  example_.clear();
  AppendField(kExampleFeatures, features_, example_);
  return example_;
}

absl::string_view ExampleEncoder::Feature(size_t column) const {
  return absl::string_view(features_).substr(places_[column].first,
                                             places_[column].second);
}

}  // namespace rekindle
