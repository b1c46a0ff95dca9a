#ifndef REKINDLE_COMPONENT_TRAINING_MODEL_EXPORT_H_
#define REKINDLE_COMPONENT_TRAINING_MODEL_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/model.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Writes `model` with `values` of all its variables as a SavedModel into
// `folder`.
//
//   FAILED_PRECONDITION  the model has no signatures
//   UNAVAILABLE          the folder is full or not writable
//   INTERNAL             the serving graph is not valid
absl::Status ExportModel(const Model& model, const NamedTensors& values,
                         const std::string& folder);

// Loads the SavedModel in `folder` as a server would and asks its `signature`
// about the serialized `examples`. Its answers must be finite, and where an
// answer has the name of one of `outputs`, what training put out for the same
// examples, equal to it within 1e-5. A model that fails is withdrawn: its
// saved_model.pb is removed.
//
//   INTERNAL  the export does not load, or answers otherwise
absl::Status ValidateExport(const std::string& folder,
                            const std::string& signature,
                            const std::vector<std::string>& examples,
                            const NamedTensors& outputs);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MODEL_EXPORT_H_
