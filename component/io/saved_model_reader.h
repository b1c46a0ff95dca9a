#ifndef REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_
#define REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/io/tensor_bundle.h"
#include "component/io/variable_axes.h"

namespace rekindle {

// What a new model can take over from an old one. A plain value.
struct SavedVariables {
  NamedTensors values;  // by variable name
  VariableAxes axes;    // empty when the model does not say
};

// Reads the variables of the SavedModel in the folder `saved_model`, without
// its graph. Variables of a model that Keras or another object-based writer
// saved are named as their writer named them, not by their path in the object
// graph; a name that two different ones share is left out.
//
//   NOT_FOUND  the folder holds no SavedModel with variables
//   DATA_LOSS  its files are damaged
absl::StatusOr<SavedVariables> ReadSavedVariables(
    const std::string& saved_model);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_
