#ifndef REKINDLE_COMPONENT_OPTIMIZERS_STEP_SCALAR_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_STEP_SCALAR_H_

#include <cstdint>
#include <functional>
#include <string>

namespace rekindle {

// A number that the host gives the graph anew each step.
struct StepScalar {
  std::string name;
  // At a step (from 0), with the learning rate of that step.
  std::function<double(int64_t step, double learning_rate)> value;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_STEP_SCALAR_H_
