// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_CUDA_DRIVER_H_
#define REKINDLE_COMPONENT_STRATEGIES_CUDA_DRIVER_H_

#include <string>

namespace rekindle {

// Why CUDA finds no GPU, by asking the driver's library: it is missing, it is
// too old for TensorFlow's libraries, it refuses, or it has no device. Empty
// when there is nothing wrong with it.
std::string WhyNoCuda(const std::string& library = "libcuda.so.1");

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_CUDA_DRIVER_H_
