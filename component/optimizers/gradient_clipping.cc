#include "component/optimizers/gradient_clipping.h"

#include <numbers>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/nn_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::OutputList;
using ::tensorflow::Scope;

// What to scale values by whose squares add up to 2 * `half_squares`, so that
// their norm is at most `norm`: min(1, norm / sqrt(2 * half_squares)).
Output FactorOf(const Scope& scope, double norm, const Output& half_squares) {
  const auto share = static_cast<float>(norm / std::numbers::sqrt2);
  const Output factor = ops::Mul(scope, ops::Rsqrt(scope, half_squares), share);
  return ops::Minimum(scope, factor, 1.0f);
}

void ClipByNorm(const Scope& scope, double norm, Gradient* gradient) {
  const Output half_squares = ops::L2Loss(scope, gradient->value);
  gradient->value =
      ops::Mul(scope, gradient->value, FactorOf(scope, norm, half_squares));
}

void ClipByValue(const Scope& scope, double most, Gradient* gradient) {
  const auto bound = static_cast<float>(most);
  gradient->value = ops::ClipByValue(scope, gradient->value, -bound, bound);
}

}  // namespace

void ClipByGlobalNorm(const Scope& scope, double norm,
                      std::vector<Gradient>* gradients) {
  OutputList half_squares;
  for (const Gradient& gradient : *gradients) {
    half_squares.push_back(ops::L2Loss(scope, gradient.value));
  }
  const Output sum = ops::AddN(scope, half_squares);
  // 0, or NaN where the sum is not finite: Minimum alone would hide that.
  const Output finite = ops::Sub(scope, sum, sum);
  const Output factor = ops::Add(scope, FactorOf(scope, norm, sum), finite);
  for (Gradient& gradient : *gradients) {
    gradient.value = ops::Mul(scope, gradient.value, factor);
  }
}

void ClipGradients(const Scope& scope, const GradientClippingConfig& config,
                   std::vector<Gradient>* gradients) {
  if (gradients->empty()) return;
  for (Gradient& gradient : *gradients) {
    if (config.clipnorm) ClipByNorm(scope, *config.clipnorm, &gradient);
    if (config.clipvalue) ClipByValue(scope, *config.clipvalue, &gradient);
  }
  if (config.global_clipnorm) {
    ClipByGlobalNorm(scope, *config.global_clipnorm, gradients);
  }
}

}  // namespace rekindle
