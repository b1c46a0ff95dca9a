#ifndef REKINDLE_TRAINING_TENSORS_H_
#define REKINDLE_TRAINING_TENSORS_H_

#include <map>
#include <string>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {

// Values, by name.
using NamedTensors = std::map<std::string, tensorflow::Tensor>;

// Tensors of a graph, by name.
using NamedOutputs = std::map<std::string, tensorflow::Output>;

// What a tensor of a batch looks like. A plain value.
struct TensorSpec {
  std::string name;
  tensorflow::DataType type = tensorflow::DT_FLOAT;
  tensorflow::PartialTensorShape shape;  // the first dimension is the batch
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_TENSORS_H_
