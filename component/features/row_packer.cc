#include "component/features/row_packer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/features/hash_bucket.h"

namespace rekindle {
namespace {

// Names of unused features are kept up to this many, so that they are found as
// fast as the others.
constexpr size_t kMostNames = 4096;

NameMap<int32_t> Numbered(const std::vector<std::string>& words) {
  NameMap<int32_t> ids;
  for (size_t i = 0; i < words.size(); ++i) {
    ids.emplace(words[i], static_cast<int32_t>(i));
  }
  return ids;
}

int32_t FindId(const NameMap<int32_t>& ids, std::string_view word) {
  const auto found = ids.find(word);
  return found == ids.end() ? -1 : found->second;
}

std::string_view NameOf(StoredType stored) {
  switch (stored) {
    case StoredType::kFloat:
      return "float";
    case StoredType::kInt64:
      return "int64";
    case StoredType::kBytes:
      return "bytes";
  }
  return "";
}

template <typename T>
size_t BytesOf(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

void PackedRows::Clear() {
  size = 0;
  numeric.clear();
  categorical.clear();
  classes.clear();
  numbers.clear();
  for (Lists& lists : multivalent) {
    lists.values.clear();
    lists.ends.clear();
  }
}

size_t PackedRows::bytes() const {
  size_t bytes = BytesOf(numeric) + BytesOf(categorical) + BytesOf(classes) +
                 BytesOf(numbers) + BytesOf(multivalent);
  for (const Lists& lists : multivalent) {
    bytes += BytesOf(lists.values) + BytesOf(lists.ends);
  }
  return bytes;
}

IdEncoder::IdEncoder(const CategoricalFeature& feature)
    : feature_(feature), vocabulary_(Numbered(feature.vocabulary)) {}

int32_t IdEncoder::Id(std::string_view value) const {
  if (feature_.hash_buckets > 0) {
    return static_cast<int32_t>(HashBucket(value, feature_.hash_buckets));
  }
  return FindId(vocabulary_, value);
}

int32_t IdEncoder::Id(int64_t value) const {
  if (!feature_.boundaries.empty()) return Id(static_cast<float>(value));
  if (feature_.hash_buckets > 0) {
    std::array<char, std::numeric_limits<int64_t>::digits10 + 2> text;
    const char* end =
        std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return Id(std::string_view(text.data(), end));
  }
  // Differences of far numbers wrap around, into numbers that are too large.
  const uint64_t id = static_cast<uint64_t>(value) -
                      static_cast<uint64_t>(feature_.first_value);
  const auto size = static_cast<uint64_t>(feature_.range_size);
  return id < size ? static_cast<int32_t>(id) : -1;
}

int32_t IdEncoder::Id(float value) const {
  if (std::isnan(value)) return -1;
  const auto& boundaries = feature_.boundaries;
  const auto above = std::ranges::upper_bound(boundaries, value);
  return static_cast<int32_t>(above - boundaries.begin());
}

RowPacker::RowPacker(const FeatureSpec& features)
    : features_(features),
      numeric_width_(static_cast<size_t>(features.numeric_width())) {
  size_t column = 0;
  for (const NumericFeature& feature : features.numeric) {
    const auto width = static_cast<size_t>(feature.width);
    slots_[feature.name] = {Slot::kNumeric, 0, column, width, feature.stored};
    column += width;
  }
  for (const CategoricalFeature& feature : features.categorical) {
    slots_[feature.name] = {Slot::kCategorical, categorical_.size(), 0, 1,
                            feature.stored};
    categorical_.emplace_back(feature);
  }
  for (const CategoricalFeature& feature : features.multivalent) {
    slots_[feature.name] = {Slot::kMultivalent, multivalent_.size(), 0, 0,
                            feature.stored};
    multivalent_.emplace_back(feature);
  }
  if (!features.label.has_value()) return;
  slots_[features.label->name] = {Slot::kLabel, 0, 0, 1,
                                  features.label->stored};
  classes_ = Numbered(features.label->classes);
}

absl::Status RowPacker::Append(std::string_view record, PackedRows* rows) {
  BeginRow(rows);
  RK_RETURN_IF_ERROR(walker_.Walk(record, *this));
  if (features_.label.has_value() && !has_label_) {
    Fail(absl::StrCat("it has no label '", features_.label->name, "'"));
  }
  EndRow();
  return status_;
}

void RowPacker::BeginRow(PackedRows* rows) {
  rows_ = rows;
  feature_ = 0;
  has_label_ = false;
  status_ = absl::OkStatus();
  rows->numeric.resize(rows->numeric.size() + numeric_width_,
                       std::numeric_limits<float>::quiet_NaN());
  rows->categorical.resize(rows->categorical.size() + categorical_.size(), -1);
  rows->multivalent.resize(multivalent_.size());
}

void RowPacker::EndRow() {
  ++rows_->size;
  for (PackedRows::Lists& lists : rows_->multivalent) {
    lists.ends.push_back(static_cast<uint32_t>(lists.values.size()));
  }
}

const RowPacker::NamedSlot& RowPacker::Find(std::string_view name) {
  static const NamedSlot kUnnamed;
  const size_t place = feature_++;
  if (place < expected_.size() && expected_[place]->first == name) {
    return *expected_[place];
  }
  auto found = slots_.find(name);
  if (found == slots_.end()) {
    if (slots_.size() >= kMostNames) return kUnnamed;
    found = slots_.emplace(name, Slot()).first;
  }
  if (place < kMostNames) {
    expected_.resize(std::max(expected_.size(), place + 1), &*found);
    expected_[place] = &*found;
  }
  return *found;
}

const RowPacker::Slot* RowPacker::Use(std::string_view name, StoredType stored,
                                      size_t values) {
  const Slot& slot = Find(name).second;
  if (slot.kind == Slot::kUnused || values == 0) return nullptr;
  if (slot.stored != stored) {
    Fail(absl::StrCat("feature '", name, "' holds ", NameOf(stored),
                      ", which is not its type in the schema"));
    return nullptr;
  }
  if (values != slot.width && slot.kind != Slot::kMultivalent) {
    Fail(absl::StrCat("feature '", name, "' has ", values, " values, expected ",
                      slot.width == 1 ? "at most one"
                                      : absl::StrCat("none or ", slot.width)));
    return nullptr;
  }
  return &slot;
}

void RowPacker::OnBytes(std::string_view name,
                        std::span<const std::string_view> values) {
  const Slot* slot = Use(name, StoredType::kBytes, values.size());
  if (slot == nullptr) return;
  if (slot->kind == Slot::kLabel) return SetLabel(values[0]);
  AddIds(*slot, values);
}

void RowPacker::OnFloats(std::string_view name, std::span<const float> values) {
  AddNumbers(name, StoredType::kFloat, values);
}

void RowPacker::OnInt64s(std::string_view name,
                         std::span<const int64_t> values) {
  AddNumbers(name, StoredType::kInt64, values);
}

void RowPacker::OnNoValues(std::string_view name) { Find(name); }

template <typename T>
void RowPacker::AddNumbers(std::string_view name, StoredType stored,
                           std::span<const T> values) {
  const Slot* slot = Use(name, stored, values.size());
  if (slot == nullptr) return;
  if (slot->kind == Slot::kLabel) return SetLabel(values[0]);
  if (slot->kind != Slot::kNumeric) return AddIds(*slot, values);
  for (size_t i = 0; i < values.size(); ++i) {
    SetNumeric(name, *slot, i, static_cast<float>(values[i]));
  }
}

template <typename T>
void RowPacker::AddIds(const Slot& slot, std::span<const T> values) {
  if (slot.kind == Slot::kCategorical) {
    const size_t row = rows_->categorical.size() - categorical_.size();
    rows_->categorical[row + slot.index] =
        categorical_[slot.index].Id(values[0]);
    return;
  }
  PackedRows::Lists& lists = rows_->multivalent[slot.index];
  // A feature that occurs again takes the place of what it was.
  lists.values.resize(lists.ends.empty() ? 0 : lists.ends.back());
  for (const T& value : values) {
    const int32_t id = multivalent_[slot.index].Id(value);
    if (id >= 0) lists.values.push_back(id);
  }
}

void RowPacker::SetNumeric(std::string_view name, const Slot& slot,
                           size_t index, float value) {
  if (std::isinf(value)) {
    return Fail(absl::StrCat("feature '", name, "' is infinite"));
  }
  const size_t row = rows_->numeric.size() - numeric_width_;
  rows_->numeric[row + slot.column + index] = value;
}

void RowPacker::SetLabel(std::string_view value) {
  const int32_t id = FindId(classes_, value);
  if (id < 0) return NoSuchClass(value);
  rows_->classes.resize(rows_->size);
  rows_->classes.push_back(id);
  has_label_ = true;
}

void RowPacker::SetLabel(int64_t value) {
  const LabelFeature& label = *features_.label;
  if (!label.is_class()) return SetLabel(static_cast<float>(value));
  const uint64_t id =
      static_cast<uint64_t>(value) - static_cast<uint64_t>(label.first_value);
  if (id >= label.classes.size()) return NoSuchClass(absl::StrCat(value));
  rows_->classes.resize(rows_->size);
  rows_->classes.push_back(static_cast<int32_t>(id));
  has_label_ = true;
}

void RowPacker::SetLabel(float value) {
  if (!std::isfinite(value)) {
    return Fail(absl::StrCat("its label '", features_.label->name, "' is ",
                             value, ", which is no number to learn"));
  }
  rows_->numbers.resize(rows_->size);
  rows_->numbers.push_back(value);
  has_label_ = true;
}

void RowPacker::NoSuchClass(std::string_view value) {
  constexpr size_t kMostNamed = 10;
  const auto& classes = features_.label->classes;
  const std::span named(classes.data(), std::min(classes.size(), kMostNamed));
  Fail(absl::StrCat("its label '", features_.label->name, "' is '", value,
                    "', the schema's classes are: ", absl::StrJoin(named, ", "),
                    classes.size() > kMostNamed ? ", ..." : ""));
}

void RowPacker::Fail(std::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(message);
}

}  // namespace rekindle
