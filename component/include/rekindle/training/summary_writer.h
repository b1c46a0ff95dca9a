#ifndef REKINDLE_TRAINING_SUMMARY_WRITER_H_
#define REKINDLE_TRAINING_SUMMARY_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/metric.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Writes what TensorBoard shows. What was written is seen by others after
// Flush, or once the writer is gone. Thread-compatible.
//
//   UNAVAILABLE  the file cannot be written, as when the disk is full
class SummaryWriter {
 public:
  virtual ~SummaryWriter() = default;

  virtual absl::Status Scalars(int64_t step, const Logs& logs) = 0;

  // How the entries of `values`, a tensor of numbers, are distributed. Entries
  // that are not finite are left out.
  //
  //   INVALID_ARGUMENT  they are no numbers
  virtual absl::Status Histogram(int64_t step, const std::string& name,
                                 const tensorflow::Tensor& values) = 0;

  virtual absl::Status Graph(const tensorflow::GraphDef& graph) = 0;

  virtual absl::Status Flush() = 0;
};

// Starts a new event file in `folder`, which is made where absent. Files of
// earlier writers stay: TensorBoard reads a run's files one after the other.
//
//   UNAVAILABLE  the folder is full or not writable
absl::StatusOr<std::unique_ptr<SummaryWriter>> OpenSummaryWriter(
    const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_SUMMARY_WRITER_H_
