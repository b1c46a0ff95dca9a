#ifndef REKINDLE_COMPONENT_IO_WARMUP_REQUESTS_H_
#define REKINDLE_COMPONENT_IO_WARMUP_REQUESTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// A request for a signature of a SavedModel, with its inputs by name.
struct WarmupRequest {
  std::string signature = "serving_default";
  NamedTensors inputs;
};

// Writes `requests` into a SavedModel's folder, as
// assets.extra/tf_serving_warmup_requests: TensorFlow Serving answers them
// before it says that the model is ready, so that no client waits for the first
// run of its graph. At most 1000 are allowed.
//
//   INVALID_ARGUMENT  there are more
//   UNAVAILABLE       the folder is full or not writable
absl::Status WriteWarmupRequests(const std::vector<WarmupRequest>& requests,
                                 const std::string& saved_model);

// Requests for serving_default with the serialized `examples`: one with the
// first of them, one with all.
std::vector<WarmupRequest> WarmupOfExamples(
    const std::vector<std::string>& examples);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_WARMUP_REQUESTS_H_
