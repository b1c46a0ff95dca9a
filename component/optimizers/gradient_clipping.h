#ifndef REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_CLIPPING_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_CLIPPING_H_

#include <vector>

#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimization_config.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// Makes gradients smaller, as `config` says and Keras does. A gradient with
// rows must have each once.
void ClipGradients(const tensorflow::Scope& scope,
                   const GradientClippingConfig& config,
                   std::vector<Gradient>* gradients);

// Scales all gradients by one factor, so that their norm together is at most
// `norm`. A gradient that is not finite makes all of them NaN.
void ClipByGlobalNorm(const tensorflow::Scope& scope, double norm,
                      std::vector<Gradient>* gradients);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_CLIPPING_H_
