#ifndef REKINDLE_COMPONENT_IO_TENSOR_BUNDLE_H_
#define REKINDLE_COMPONENT_IO_TENSOR_BUNDLE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Writes `tensors` in TensorFlow's checkpoint format, as the files
// `<prefix>.index` and `<prefix>.data-00000-of-00001`, and waits for the disk.
// The folder must exist.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status WriteTensors(const NamedTensors& tensors,
                          const std::string& prefix);

// Reads every tensor that TensorFlow saved under `prefix`.
//
//   NOT_FOUND  there is no `<prefix>.index`
//   DATA_LOSS  the files are damaged
absl::StatusOr<NamedTensors> ReadTensors(const std::string& prefix);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_TENSOR_BUNDLE_H_
