#include "component/input/batch_gatherer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// Walks the tensors of a batch in turn, and gives each its shape.
class TensorCursor {
 public:
  TensorCursor(size_t tensors, Batch* batch) : batch_(batch) {
    batch->tensors.resize(tensors);
  }

  template <typename T>
  T* Next(const TensorShape& shape) {
    Tensor& tensor = batch_->tensors[next_++];
    const auto type = tensorflow::DataTypeToEnum<T>::value;
    if (tensor.dtype() != type || tensor.shape() != shape ||
        !tensor.RefCountIsOne()) {
      tensor = Tensor(type, shape);
    }
    return tensor.flat<T>().data();
  }

 private:
  Batch* const batch_;
  size_t next_ = 0;
};

// Copies, of each row, its `width` values of the column `column`.
template <typename T>
void CopyRows(std::span<const RowRef> rows,
              const std::vector<T> PackedRows::*column, size_t width, T* out) {
  for (const RowRef& ref : rows) {
    out = std::copy_n((ref.rows->*column).data() + ref.row * width, width, out);
  }
}

std::span<const int32_t> ListOf(const RowRef& ref, size_t feature) {
  const PackedRows::Lists& lists = ref.rows->multivalent[feature];
  const size_t begin = ref.row == 0 ? 0 : lists.ends[ref.row - 1];
  return std::span(lists.values).subspan(begin, lists.ends[ref.row] - begin);
}

void GatherLists(std::span<const RowRef> rows, size_t feature,
                 TensorCursor& tensors) {
  int64_t values = 0;
  for (const RowRef& ref : rows) {
    values += static_cast<int64_t>(ListOf(ref, feature).size());
  }
  int32_t* out = tensors.Next<int32_t>({values});
  int64_t* split = tensors.Next<int64_t>({std::ssize(rows) + 1});
  *split = 0;
  for (const RowRef& ref : rows) {
    const std::span<const int32_t> list = ListOf(ref, feature);
    out = std::ranges::copy(list, out).out;
    split[1] = split[0] + std::ssize(list);
    ++split;
  }
}

// Without a shape to hold, as many tensors as BatchTensors has.
size_t TensorCount(const FeatureSpec& features) {
  return (features.numeric.empty() ? 0u : 1u) +
         (features.categorical.empty() ? 0u : 1u) +
         2 * features.multivalent.size() + (features.label.has_value() ? 1 : 0);
}

}  // namespace

void GatherRows(const FeatureSpec& features, std::span<const RowRef> rows,
                Batch* batch) {
  const int64_t count = std::ssize(rows);
  batch->size = count;
  TensorCursor tensors(TensorCount(features), batch);
  if (!features.numeric.empty()) {
    const int64_t width = features.numeric_width();
    CopyRows(rows, &PackedRows::numeric, static_cast<size_t>(width),
             tensors.Next<float>({count, width}));
  }
  if (!features.categorical.empty()) {
    const int64_t width = std::ssize(features.categorical);
    CopyRows(rows, &PackedRows::categorical, static_cast<size_t>(width),
             tensors.Next<int32_t>({count, width}));
  }
  for (size_t i = 0; i < features.multivalent.size(); ++i) {
    GatherLists(rows, i, tensors);
  }
  if (!features.label.has_value()) return;
  if (features.label->is_class()) {
    CopyRows(rows, &PackedRows::classes, 1, tensors.Next<int32_t>({count}));
  } else {
    CopyRows(rows, &PackedRows::numbers, 1, tensors.Next<float>({count}));
  }
}

void GatherRecords(std::span<const ExampleRef> examples, Batch* batch) {
  batch->size = std::ssize(examples);
  TensorCursor tensors(1, batch);
  tensorflow::tstring* out = tensors.Next<tensorflow::tstring>({batch->size});
  for (const ExampleRef& example : examples) {
    const std::string_view record = example.chunk->record(example.row);
    out->assign(record.data(), record.size());
    ++out;
  }
}

}  // namespace rekindle
