// Internal to component/metrics.
#ifndef REKINDLE_COMPONENT_METRICS_STEP_TENSORS_H_
#define REKINDLE_COMPONENT_METRICS_STEP_TENSORS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// The tensor of a step that is named `name`; the nearest name is suggested when
// there is none. It lives as long as `step`.
absl::StatusOr<const tensorflow::Tensor*> FindTensor(const NamedTensors& step,
                                                     const std::string& name);

// Its elements, which must be of float.
absl::StatusOr<absl::Span<const float>> FindFloats(const NamedTensors& step,
                                                   const std::string& name);

// Puts its elements, of float, int32 or int64, into `values`.
absl::Status CopyNumbers(const NamedTensors& step, const std::string& name,
                         std::vector<double>* values);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_METRICS_STEP_TENSORS_H_
