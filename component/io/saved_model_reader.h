#ifndef REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_
#define REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "component/io/tensor_bundle.h"
#include "component/io/variable_axes.h"

namespace rekindle {

// What a new model can take over from an old one. A plain value.
struct SavedVariables {
  NamedTensors values = {};  // by variable name
  // Names that two different variables have: neither is in `values`.
  std::set<std::string> ambiguous = {};
  // By path in the writer's objects ("model/dense/kernel"), where it kept its
  // variables in some.
  NamedTensors by_path = {};
  VariableAxes axes = {};  // empty when the model does not say
};

// Reads the variables of a SavedModel or checkpoint, without its graph: `path`
// is what FindCheckpoint takes. Variables that Keras or another object-based
// writer saved are named as their writer named them, not by their path among
// the objects. What optimizers keep for variables is left out, where the file
// says what it is.
//
//   NOT_FOUND  there is neither
//   DATA_LOSS  the files are damaged
absl::StatusOr<SavedVariables> ReadSavedVariables(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_SAVED_MODEL_READER_H_
