#ifndef REKINDLE_COMPONENT_TRAINING_EXPORT_H_
#define REKINDLE_COMPONENT_TRAINING_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/tasks/tabular_classifier.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// Writes `model` with the values in `values` (which may hold more than the
// model's variables) as a SavedModel into `folder`.
//
//   UNAVAILABLE  the folder is full or not writable
//   INTERNAL     the serving graph is not valid
absl::Status ExportModel(const TabularClassifier& model,
                         const NamedTensors& values, const std::string& folder);

// Loads the SavedModel in `folder` as a server would and asks it about the
// serialized `examples`: its answers must be finite and those of training,
// `scores` [n, classes], within 1e-5. A model that fails is withdrawn: its
// saved_model.pb is removed.
//
//   INTERNAL  the export does not load, or answers otherwise
absl::Status ValidateExport(const std::string& folder,
                            const std::vector<std::string>& examples,
                            const tensorflow::Tensor& scores);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_EXPORT_H_
