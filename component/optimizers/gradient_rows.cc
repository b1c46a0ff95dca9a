#include "component/optimizers/gradient_rows.h"

#include <optional>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/math_ops.h"

namespace rekindle {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

Gradient ToDense(const GraphBuilder& graph, const Gradient& gradient) {
  if (!gradient.rows.has_value()) return gradient;
  const Output dense =
      ops::UnsortedSegmentSum(graph.scope(), gradient.value, *gradient.rows,
                              graph.ShapeOf(gradient.variable).dim_size(0));
  return {gradient.variable, dense, std::nullopt};
}

Gradient WithUniqueRows(const GraphBuilder& graph, const Gradient& gradient) {
  if (!gradient.rows.has_value()) return gradient;
  const Scope& scope = graph.scope();
  const ops::Unique unique(scope, *gradient.rows);
  const Output sums = ops::UnsortedSegmentSum(scope, gradient.value, unique.idx,
                                              ops::Size(scope, unique.y));
  return {gradient.variable, sums, unique.y};
}

}  // namespace rekindle
