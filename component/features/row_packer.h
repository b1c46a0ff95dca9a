#ifndef REKINDLE_COMPONENT_FEATURES_ROW_PACKER_H_
#define REKINDLE_COMPONENT_FEATURES_ROW_PACKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "component/features/feature_spec.h"
#include "component/records/example_walker.h"

namespace rekindle {

// Examples as packed columns, one row each: what BatchTensors says, before it
// is cut into batches. A plain value.
struct PackedRows {
  // The ids of a multivalent feature; those of row i end at ends[i].
  struct Lists {
    std::vector<int32_t> values;
    std::vector<uint32_t> ends;
  };

  size_t size = 0;
  std::vector<float> numeric;
  std::vector<int32_t> categorical;
  std::vector<Lists> multivalent;
  std::vector<int32_t> classes;  // labels, as the spec's label is
  std::vector<float> numbers;

  // Removes the rows; their memory stays.
  void Clear();
  // Memory in use.
  size_t bytes() const;
};

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

// The id of a value of a categorical feature; -1: unknown. Thread-safe.
class IdEncoder {
 public:
  // `feature` must outlive the encoder.
  explicit IdEncoder(const CategoricalFeature& feature);

  int32_t Id(std::string_view value) const;
  int32_t Id(int64_t value) const;
  int32_t Id(float value) const;

 private:
  const CategoricalFeature& feature_;
  NameMap<int32_t> vocabulary_;
};

// Packs serialized tf.Examples row by row. Thread-compatible; keep one and use
// it again.
class RowPacker final : private ExampleVisitor {
 public:
  // `features` must outlive the packer.
  explicit RowPacker(const FeatureSpec& features);

  // Appends the row of `record`, a tf.Example. A feature that is absent, empty,
  // NaN or unknown is missing, which is no error; other features are skipped.
  // After an error `rows` is of no use.
  //
  //   DATA_LOSS         the bytes are not a tf.Example
  //   INVALID_ARGUMENT  there is no label, or one of no class; a feature has
  //                     another type, another number of values, or is infinite
  absl::Status Append(std::string_view record, PackedRows* rows);

 private:
  // Where a feature goes.
  struct Slot {
    enum Kind { kUnused, kNumeric, kCategorical, kMultivalent, kLabel };
    Kind kind = kUnused;
    size_t index = 0;
    size_t column = 0;  // of `numeric`
    size_t width = 1;
    StoredType stored = StoredType::kFloat;
  };
  using NamedSlot = std::pair<const std::string, Slot>;

  void OnBytes(std::string_view name,
               std::span<const std::string_view> values) override;
  void OnFloats(std::string_view name, std::span<const float> values) override;
  void OnInt64s(std::string_view name,
                std::span<const int64_t> values) override;
  void OnNoValues(std::string_view name) override;

  void BeginRow(PackedRows* rows);
  void EndRow();
  const NamedSlot& Find(std::string_view name);
  // The feature's slot, when it has values to use; null: nothing to do.
  const Slot* Use(std::string_view name, StoredType stored, size_t values);

  template <typename T>
  void AddNumbers(std::string_view name, StoredType stored,
                  std::span<const T> values);
  template <typename T>
  void AddIds(const Slot& slot, std::span<const T> values);
  void SetNumeric(std::string_view name, const Slot& slot, size_t index,
                  float value);
  void SetLabel(std::string_view value);
  void SetLabel(int64_t value);
  void SetLabel(float value);
  void NoSuchClass(std::string_view value);
  void Fail(std::string_view message);

  const FeatureSpec& features_;
  const size_t numeric_width_;
  NameMap<Slot> slots_;
  std::vector<IdEncoder> categorical_;
  std::vector<IdEncoder> multivalent_;
  NameMap<int32_t> classes_;
  ExampleWalker walker_;
  // What the features of the example before were, in its order: most writers
  // use the same order again.
  std::vector<const NamedSlot*> expected_;
  // The row being read.
  PackedRows* rows_ = nullptr;
  size_t feature_ = 0;
  bool has_label_ = false;
  absl::Status status_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_ROW_PACKER_H_
