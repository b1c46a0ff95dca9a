#ifndef REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_
#define REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_

#include "rekindle/training/config.h"

namespace rekindle {

// Which optimizer, with which learning rate.
struct OptimizationConfig : Config {
  void Describe(ConfigFields& fields) override;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_OPTIMIZATION_CONFIG_H_
