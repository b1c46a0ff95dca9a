#ifndef REKINDLE_TRAINING_DATASET_H_
#define REKINDLE_TRAINING_DATASET_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Some examples as tensors, in the order of the dataset's spec.
struct Batch {
  std::vector<tensorflow::Tensor> tensors;
  int64_t size = 0;  // examples
};

// Where a dataset stands: what has been given. With the seed it is the whole
// state of an input, and so what a checkpoint keeps of it.
struct InputPosition {
  int64_t epoch = 0;
  int64_t examples = 0;  // of that epoch, in the order of that epoch

  bool operator==(const InputPosition&) const = default;
};

// Whose share of the examples a dataset gives. Each global batch is cut into
// workers * replicas slices of equal size; a worker gets its `replicas` slices
// one after the other, so that together they see what one device would.
struct InputContext {
  int workers = 1;
  int worker = 0;
  int replicas = 1;  // of this worker
};

// A stream of batches. The same files, configuration, seed and position give
// the same batches. Thread-compatible.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual const std::vector<TensorSpec>& spec() const = 0;

  // Puts the next batch into `batch`, whose memory it may use again; false
  // after the last one, which is not an error. A dataset for training has no
  // last one: its epochs are laid end to end, and every batch is full.
  //
  //   DATA_LOSS         a file is damaged (which, and where)
  //   INVALID_ARGUMENT  an example cannot be used (which, and why)
  virtual absl::StatusOr<bool> Next(Batch* batch) = 0;

  // Where the batch that Next gives next begins.
  virtual InputPosition position() const = 0;

  // Goes there: Next gives what it would give after that position.
  //
  //   OUT_OF_RANGE  there is no such position: the examples are others
  virtual absl::Status Seek(const InputPosition& position) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_DATASET_H_
