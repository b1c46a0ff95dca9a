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

// Writes what TensorBoard shows. Thread-compatible.
class SummaryWriter {
 public:
  virtual ~SummaryWriter() = default;

  // UNAVAILABLE  the file cannot be written
  virtual absl::Status Scalars(int64_t step, const Logs& logs) = 0;
  virtual absl::Status Histogram(int64_t step, const std::string& name,
                                 const tensorflow::Tensor& values) = 0;
  virtual absl::Status Graph(const tensorflow::GraphDef& graph) = 0;
  virtual absl::Status Flush() = 0;
};

// Writes event files into `folder`, which is made with the first of them.
//
//   UNAVAILABLE  the folder is full or not writable
absl::StatusOr<std::unique_ptr<SummaryWriter>> OpenSummaryWriter(
    const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_SUMMARY_WRITER_H_
