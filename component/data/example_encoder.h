#ifndef REKINDLE_COMPONENT_DATA_EXAMPLE_ENCODER_H_
#define REKINDLE_COMPONENT_DATA_EXAMPLE_ENCODER_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "component/data/csv_columns.h"

namespace rekindle {

// Writes rows of cells as serialized tf.Examples, straight in the wire format:
// features sorted by name, as protobuf serializes deterministically. Several
// times faster than through messages. Thread-compatible.
class ExampleEncoder {
 public:
  // What a missing cell becomes. TensorFlow's parsers take a feature without a
  // list for a missing one, with its default; one with an empty list they may
  // refuse. TFX writes, and hashes, empty lists.
  enum class Missing { kNoList, kEmptyList };

  // `columns` must outlive the encoder, and is not owned.
  ExampleEncoder(const CsvColumns& columns, Missing missing);

  // The row as an example, in the kinds of the columns. Valid until the next
  // call.
  absl::string_view Encode(const std::vector<absl::string_view>& cells);

  // Whether the row last encoded had a missing cell.
  bool had_missing() const { return had_missing_; }

  // The feature of column `column` alone, a serialized tensorflow::Feature, in
  // the row last encoded; empty if the cell is missing.
  absl::string_view Feature(size_t column) const;

 private:
  void EncodeFeature(absl::string_view cell, ColumnKind kind);

  const CsvColumns& columns_;
  const Missing missing_;
  std::vector<size_t> order_;            // columns by name
  std::vector<std::string> name_bytes_;  // by column: its field in an entry
  std::string feature_;
  std::string features_;
  std::string example_;
  bool had_missing_ = false;
  // By column: where its feature lies in `features_`.
  std::vector<std::pair<size_t, size_t>> places_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_EXAMPLE_ENCODER_H_
