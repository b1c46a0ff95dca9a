#ifndef REKINDLE_COMPONENT_OPTIMIZERS_LEARNING_RATE_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_LEARNING_RATE_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "rekindle/training/optimization_config.h"

namespace rekindle {

// The learning rate at a step, from 0. Thread-safe.
using LearningRate = std::function<double(int64_t step)>;

// The schedule that `rate` names, after the warm-up that `warmup` names, if
// any. The warm-up leads to the schedule's rate at its last step and does not
// move the schedule.
//
//   INVALID_ARGUMENT  there is no such schedule or warm-up (the nearest name is
//                     suggested), or a value makes no sense
absl::StatusOr<LearningRate> MakeLearningRate(const LearningRateConfig& rate,
                                              const WarmupConfig& warmup);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_LEARNING_RATE_H_
