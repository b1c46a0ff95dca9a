#ifndef REKINDLE_COMPONENT_IO_EXAMPLE_DATASET_H_
#define REKINDLE_COMPONENT_IO_EXAMPLE_DATASET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/io/columns.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Some examples as tensors, one row each.
struct ExampleBatch {
  tensorflow::Tensor numeric;  // float [n, numeric columns], NaN: missing
  tensorflow::Tensor
      categorical;            // int32 [n, categorical columns], -1: missing
  tensorflow::Tensor labels;  // int32 [n]
};

// All examples of a split in memory, parsed once and packed by column kind.
// Thread-safe: it never changes.
class ExampleDataset {
 public:
  int64_t size() const { return static_cast<int64_t>(labels_.size()); }

  // The examples `rows`, in that order. Fills `batch` in place when its tensors
  // have the right shape already.
  void Gather(std::span<const int64_t> rows, ExampleBatch* batch) const;

  // The examples from `first` on, at most `count`.
  ExampleBatch Slice(int64_t first, int64_t count) const;

  // The value of each numeric column in example `row`.
  std::span<const float> Numeric(int64_t row) const {
    return {numeric_.data() + row * numeric_width_,
            static_cast<size_t>(numeric_width_)};
  }

  // The serialized form of the first examples (LoadOptions::keep_serialized).
  const std::vector<std::string>& serialized() const { return serialized_; }

 private:
  friend class DatasetBuilder;

  int64_t numeric_width_ = 0;
  int64_t categorical_width_ = 0;
  std::vector<float> numeric_;
  std::vector<int32_t> categorical_;
  std::vector<int32_t> labels_;
  std::vector<std::string> serialized_;
};

struct LoadOptions {
  // How many examples to keep as they were read, too.
  int64_t keep_serialized = 0;
};

// Reads every example of the files that match `patterns`. A feature that is
// absent, empty, NaN or not in its vocabulary is missing, which is no error;
// other features are skipped.
//
//   NOT_FOUND         a pattern matches no file
//   DATA_LOSS         a file is damaged (which, and where)
//   INVALID_ARGUMENT  an example has no label or one of no class, a feature of
//                     the wrong type, several values or an infinite one; or
//                     there is no example at all
absl::StatusOr<ExampleDataset> LoadExamples(
    const std::vector<std::string>& patterns, const Columns& columns,
    const LoadOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_EXAMPLE_DATASET_H_
