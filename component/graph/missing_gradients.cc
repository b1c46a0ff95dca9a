#include "component/graph/missing_gradients.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/array_ops_internal.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/core/graph/graph.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::NoGradient;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::OutputList;
using ::tensorflow::Scope;

// The first dimension of `shape`, as the int32 that the gradients below take.
Output FirstDimension(const Scope& scope, const Output& shape) {
  return ops::StridedSlice(scope, shape, {0}, {1}, {1},
                           ops::StridedSlice::ShrinkAxisMask(1));
}

// By the whole variable, as ReadVariableOp's is.
absl::Status ResourceGatherGrad(const Scope& scope, const Operation& op,
                                const OutputList& grads, OutputList* results) {
  const Output shape = ops::VariableShape(scope, op.input(0));
  results->push_back(ops::UnsortedSegmentSum(scope, grads[0], op.input(1),
                                             FirstDimension(scope, shape)));
  results->push_back(NoGradient());
  return scope.status();
}

// Whether nothing that is differentiated depends on an output: its gradient is
// then none, or zeros.
bool IsUnused(const Output& gradient) {
  return gradient.node() == nullptr ||
         gradient.node()->type_string() == "ZerosLike";
}

// The operation itself puts out how each example's loss changes with its
// logits.
absl::Status SparseCrossEntropyGrad(const Scope& scope, const Operation& op,
                                    const OutputList& grads,
                                    OutputList* results) {
  if (!IsUnused(grads[1])) {
    return absl::UnimplementedError(
        "SparseSoftmaxCrossEntropyWithLogits has no second derivative here; "
        "use SoftmaxCrossEntropyWithLogits");
  }
  const Output by_example = ops::ExpandDims(scope, grads[0], -1);
  results->push_back(ops::Mul(scope, by_example, op.output(1)));
  results->push_back(NoGradient());
  return scope.status();
}

// By the data; indices, segments and their number have none.
template <typename GradOp>
absl::Status SparseSegmentGrad(const Scope& scope, const Operation& op,
                               const OutputList& grads, OutputList* results) {
  const Output shape = ops::Shape(scope, op.input(0));
  results->push_back(GradOp(scope, grads[0], op.input(1), op.input(2),
                            FirstDimension(scope, shape)));
  results->resize(op.num_inputs(), NoGradient());
  return scope.status();
}

// The gradient by an input of this shape, along whose `axes` broadcasting
// repeated it.
Output SumOver(const Scope& scope, const Output& gradient, const Output& axes,
               const Output& shape) {
  return ops::Reshape(scope, ops::Sum(scope, gradient, axes), shape);
}

// Of x * log(y), which is 0 where x is 0, whatever y is.
absl::Status XlogyGrad(const Scope& scope, const Operation& op,
                       const OutputList& grads, OutputList* results) {
  const Output x = op.input(0);
  const Output y = op.input(1);
  const Output x_shape = ops::Shape(scope, x);
  const Output y_shape = ops::Shape(scope, y);
  const ops::internal::BroadcastGradientArgs axes(scope, x_shape, y_shape);

  const Output zero = ops::ZerosLike(scope, x);
  const Output used = ops::Cast(scope, ops::NotEqual(scope, x, zero), x.type());
  const Output by_x = ops::Mul(scope, ops::Xlogy(scope, used, y), grads[0]);
  const Output by_y = ops::Mul(scope, ops::Xdivy(scope, x, y), grads[0]);
  results->push_back(SumOver(scope, by_x, axes.r0, x_shape));
  results->push_back(SumOver(scope, by_y, axes.r1, y_shape));
  return scope.status();
}

// A later TensorFlow may know some of them itself, and better.
void RegisterIfMissing(const std::string& op, ops::GradFunc gradient) {
  auto* registry = ops::GradOpRegistry::Global();
  ops::GradFunc known = nullptr;
  if (!registry->Lookup(op, &known).ok()) registry->Register(op, gradient);
}

bool RegisterAll() {
  RegisterIfMissing("ResourceGather", ResourceGatherGrad);
  RegisterIfMissing("SparseSoftmaxCrossEntropyWithLogits",
                    SparseCrossEntropyGrad);
  for (const std::string suffix : {"", "WithNumSegments"}) {
    RegisterIfMissing("SparseSegmentSum" + suffix,
                      SparseSegmentGrad<ops::SparseSegmentSumGrad>);
    RegisterIfMissing("SparseSegmentMean" + suffix,
                      SparseSegmentGrad<ops::SparseSegmentMeanGrad>);
    RegisterIfMissing("SparseSegmentSqrtN" + suffix,
                      SparseSegmentGrad<ops::SparseSegmentSqrtNGrad>);
  }
  RegisterIfMissing("Xlogy", XlogyGrad);
  return true;
}

}  // namespace

void RegisterMissingGradients() {
  [[maybe_unused]] static const bool registered = RegisterAll();
}

}  // namespace rekindle
