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

// Where a dataset stands: what has been given, by all workers together, so that
// each of them stands at the same position. With the seed it is the whole state
// of an input, and so what a checkpoint keeps of it.
struct InputPosition {
  int64_t epoch = 0;
  int64_t examples = 0;  // of that epoch, in the order of that epoch

  bool operator==(const InputPosition&) const = default;
};

// Whose share of the examples a dataset gives. Each global batch is cut into
// workers * replicas slices of equal size; a worker gets its `replicas` slices
// one after the other, so that together they see what one device would. Of a
// last batch that is not full the last slices are short or missing.
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

  // Where the global batch begins of which Next gives a slice next. Between two
  // steps, when every slice of a batch was given, that is what is left to do.
  virtual InputPosition position() const = 0;

  // Goes there: Next gives the first slice of the global batch that begins at
  // `position`, which may be any position that position() has given.
  //
  //   OUT_OF_RANGE  there is no such position: the examples are others
  virtual absl::Status Seek(const InputPosition& position) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_DATASET_H_
