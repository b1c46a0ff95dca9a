#include "component/io/example_dataset.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/io/file_pattern.h"
#include "component/records/example_walker.h"
#include "component/records/tfrecord_reader.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// Lets a map from strings be searched by a view.
struct ViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
template <typename Value>
using NameMap =
    std::unordered_map<std::string, Value, ViewHash, std::equal_to<>>;

using Vocabulary = NameMap<int32_t>;

Vocabulary MakeVocabulary(const std::vector<std::string>& words) {
  Vocabulary vocabulary;
  for (const std::string& word : words) {
    vocabulary.emplace(word, static_cast<int32_t>(vocabulary.size()));
  }
  return vocabulary;
}

void EnsureShape(tensorflow::DataType type, const TensorShape& shape,
                 Tensor* tensor) {
  if (tensor->dtype() != type || tensor->shape() != shape) {
    *tensor = Tensor(type, shape);
  }
}

// Copies rows of `width` values from a packed matrix into a tensor.
template <typename T>
void GatherRows(const std::vector<T>& from, int64_t width,
                std::span<const int64_t> rows, Tensor* to) {
  T* out = to->flat<T>().data();
  for (const int64_t row : rows) {
    out = std::copy_n(from.data() + row * width, width, out);
  }
}

}  // namespace

void ExampleDataset::Gather(std::span<const int64_t> rows,
                            ExampleBatch* batch) const {
  const auto count = static_cast<int64_t>(rows.size());
  EnsureShape(tensorflow::DT_FLOAT, {count, numeric_width_}, &batch->numeric);
  EnsureShape(tensorflow::DT_INT32, {count, categorical_width_},
              &batch->categorical);
  EnsureShape(tensorflow::DT_INT32, {count}, &batch->labels);
  GatherRows(numeric_, numeric_width_, rows, &batch->numeric);
  GatherRows(categorical_, categorical_width_, rows, &batch->categorical);
  GatherRows(labels_, 1, rows, &batch->labels);
}

ExampleBatch ExampleDataset::Slice(int64_t first, int64_t count) const {
  std::vector<int64_t> rows;
  for (int64_t row = first; row < std::min(first + count, size()); ++row) {
    rows.push_back(row);
  }
  ExampleBatch batch;
  Gather(rows, &batch);
  return batch;
}

// Packs examples row by row, as the walker reports their features.
class DatasetBuilder final : public ExampleVisitor {
 public:
  explicit DatasetBuilder(const Columns& columns) : columns_(columns) {
    dataset_.numeric_width_ = static_cast<int64_t>(columns.numeric.size());
    dataset_.categorical_width_ =
        static_cast<int64_t>(columns.categorical.size());
    for (size_t i = 0; i < columns.numeric.size(); ++i) {
      slots_[columns.numeric[i].name] = {Slot::kNumeric, i};
    }
    for (size_t i = 0; i < columns.categorical.size(); ++i) {
      slots_[columns.categorical[i].name] = {Slot::kCategorical, i};
      vocabularies_.push_back(
          MakeVocabulary(columns.categorical[i].vocabulary));
    }
    slots_[columns.label.name] = {Slot::kLabel, 0};
    classes_ = MakeVocabulary(columns.label.classes);
  }

  // Appends the row of `record`, or says what is wrong with it.
  absl::Status Add(std::string_view record, int64_t keep_serialized) {
    BeginRow();
    RK_RETURN_IF_ERROR(walker_.Walk(record, *this));
    RK_RETURN_IF_ERROR(status_);
    if (!label_.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it has no label '", columns_.label.name, "'"));
    }
    dataset_.labels_.push_back(*label_);
    if (dataset_.size() <= keep_serialized) {
      dataset_.serialized_.emplace_back(record);
    }
    return absl::OkStatus();
  }

  ExampleDataset Finish() && { return std::move(dataset_); }

  void OnFloats(std::string_view name, std::span<const float> values) override {
    const Slot* slot = SingleValue(name, values.size());
    if (slot == nullptr) return;
    if (slot->kind != Slot::kNumeric ||
        columns_.numeric[slot->index].is_integer) {
      return WrongType(name, "float");
    }
    SetNumeric(name, *slot, values[0]);
  }

  void OnInt64s(std::string_view name,
                std::span<const int64_t> values) override {
    const Slot* slot = SingleValue(name, values.size());
    if (slot == nullptr) return;
    if (slot->kind == Slot::kLabel && columns_.label.is_integer) {
      return SetIntegerLabel(values[0]);
    }
    if (slot->kind != Slot::kNumeric ||
        !columns_.numeric[slot->index].is_integer) {
      return WrongType(name, "int64");
    }
    SetNumeric(name, *slot, static_cast<float>(values[0]));
  }

  void OnBytes(std::string_view name,
               std::span<const absl::string_view> values) override {
    const Slot* slot = SingleValue(name, values.size());
    if (slot == nullptr) return;
    if (slot->kind == Slot::kLabel && !columns_.label.is_integer) {
      return SetBytesLabel(values[0]);
    }
    if (slot->kind != Slot::kCategorical) return WrongType(name, "bytes");
    const Vocabulary& vocabulary = vocabularies_[slot->index];
    const auto found = vocabulary.find(values[0]);
    CategoricalRow()[slot->index] =
        found == vocabulary.end() ? -1 : found->second;
  }

  void OnNoValues(std::string_view) override {}

 private:
  // Where a feature goes.
  struct Slot {
    enum Kind { kNumeric, kCategorical, kLabel };
    Kind kind;
    size_t index;
  };

  void BeginRow() {
    label_.reset();
    dataset_.numeric_.resize(dataset_.numeric_.size() + columns_.numeric.size(),
                             std::numeric_limits<float>::quiet_NaN());
    dataset_.categorical_.resize(
        dataset_.categorical_.size() + columns_.categorical.size(), -1);
  }

  float* NumericRow() {
    return dataset_.numeric_.data() + dataset_.numeric_.size() -
           columns_.numeric.size();
  }
  int32_t* CategoricalRow() {
    return dataset_.categorical_.data() + dataset_.categorical_.size() -
           columns_.categorical.size();
  }

  // The slot of a feature that has one value; null when the feature is not
  // used, is missing, or has several values, which is an error.
  const Slot* SingleValue(std::string_view name, size_t values) {
    const auto found = slots_.find(name);
    if (found == slots_.end() || values == 0) return nullptr;
    if (values == 1) return &found->second;
    Fail(absl::StrCat("feature '", name, "' has ", values,
                      " values, expected at most one"));
    return nullptr;
  }

  void SetNumeric(std::string_view name, const Slot& slot, float value) {
    if (std::isinf(value)) {
      return Fail(absl::StrCat("feature '", name, "' is infinite"));
    }
    NumericRow()[slot.index] = value;
  }

  void SetIntegerLabel(int64_t value) {
    const int64_t id = value - columns_.label.first_value;
    if (id < 0 || id >= static_cast<int64_t>(columns_.label.classes.size())) {
      return NoSuchClass(absl::StrCat(value));
    }
    label_ = static_cast<int32_t>(id);
  }

  void SetBytesLabel(std::string_view value) {
    const auto found = classes_.find(value);
    if (found == classes_.end()) return NoSuchClass(value);
    label_ = found->second;
  }

  void NoSuchClass(std::string_view value) {
    constexpr size_t kMostNamed = 10;
    const auto& classes = columns_.label.classes;
    const std::span named(classes.data(), std::min(classes.size(), kMostNamed));
    Fail(absl::StrCat(
        "its label '", columns_.label.name, "' is '", value,
        "', the schema's classes are: ", absl::StrJoin(named, ", "),
        classes.size() > kMostNamed ? ", ..." : ""));
  }

  void WrongType(std::string_view name, std::string_view type) {
    Fail(absl::StrCat("feature '", name, "' holds ", type,
                      ", which is not its type in the schema"));
  }

  void Fail(std::string_view message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(message);
  }

  const Columns& columns_;
  NameMap<Slot> slots_;
  std::vector<Vocabulary> vocabularies_;
  Vocabulary classes_;
  ExampleWalker walker_;
  ExampleDataset dataset_;
  // The row being read.
  std::optional<int32_t> label_;
  absl::Status status_;
};

namespace {

absl::Status AddFile(const std::string& path, int64_t keep_serialized,
                     DatasetBuilder* builder) {
  RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(path));
  while (true) {
    const uint64_t offset = reader->offset();
    RK_ASSIGN_OR_RETURN(const auto record, reader->Next());
    if (!record.has_value()) return absl::OkStatus();
    const absl::Status added = builder->Add(*record, keep_serialized);
    if (added.ok()) continue;
    return {added.code(), absl::StrCat("'", path, "': example at offset ",
                                       offset, ": ", added.message())};
  }
}

}  // namespace

absl::StatusOr<ExampleDataset> LoadExamples(
    const std::vector<std::string>& patterns, const Columns& columns,
    const LoadOptions& options) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ExpandPatterns(patterns));
  DatasetBuilder builder(columns);
  for (const std::string& file : files) {
    RK_RETURN_IF_ERROR(AddFile(file, options.keep_serialized, &builder));
  }
  ExampleDataset dataset = std::move(builder).Finish();
  if (dataset.size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no example in '", absl::StrJoin(patterns, "', '"), "'"));
  }
  return dataset;
}

}  // namespace rekindle
