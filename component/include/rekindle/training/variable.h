#ifndef REKINDLE_TRAINING_VARIABLE_H_
#define REKINDLE_TRAINING_VARIABLE_H_

#include <map>
#include <string>
#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"

namespace rekindle {

// A variable of float. A plain value.
struct VariableSpec {
  std::string name;
  tensorflow::TensorShape shape;
  bool trainable = true;
};

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

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_VARIABLE_H_
