#ifndef REKINDLE_COMPONENT_IO_VARIABLE_AXES_H_
#define REKINDLE_COMPONENT_IO_VARIABLE_AXES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// What the entries of a model's variables stand for. Two variables of one name
// and one shape mean different things when the features or the classes behind
// their rows are others, or are in another order; a warm start compares this.
// A plain value.
struct VariableAxes {
  // Name of an axis -> what its entries stand for, in order.
  std::map<std::string, std::vector<std::string>> axes;
  // Name of a variable -> names of the axes it depends on; none when absent.
  std::map<std::string, std::vector<std::string>> variables;

  bool operator==(const VariableAxes&) const = default;
};

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
