#ifndef REKINDLE_COMPONENT_IO_VARIABLE_AXES_H_
#define REKINDLE_COMPONENT_IO_VARIABLE_AXES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/variable.h"

namespace rekindle {

// Writes `axes` into a SavedModel's folder, as
// assets.extra/rekindle_variables.json. Other readers pass over it.
//
//   UNAVAILABLE  the folder is full or not writable
absl::Status WriteVariableAxes(const VariableAxes& axes,
                               const std::string& saved_model);

// Reads them back; empty when the model has none, as one written by other
// software.
//
//   DATA_LOSS    the file is damaged
//   UNAVAILABLE  it cannot be read
absl::StatusOr<VariableAxes> ReadVariableAxes(const std::string& saved_model);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_VARIABLE_AXES_H_
