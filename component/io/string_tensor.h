#ifndef REKINDLE_COMPONENT_IO_STRING_TENSOR_H_
#define REKINDLE_COMPONENT_IO_STRING_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// The strings as a tensor of shape [size].
inline tensorflow::Tensor StringTensor(const std::vector<std::string>& values) {
  tensorflow::Tensor tensor(tensorflow::DT_STRING,
                            {static_cast<int64_t>(values.size())});
  auto flat = tensor.flat<tensorflow::tstring>();
  for (int64_t i = 0; i < flat.size(); ++i) flat(i) = values[i];
  return tensor;
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_STRING_TENSOR_H_
