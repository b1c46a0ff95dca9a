#include "component/graph/missing_gradients.h"

#include <vector>

#include "absl/status/status.h"
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"

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

// The operation itself puts out how each example's loss changes with its
// logits.
absl::Status SparseCrossEntropyGrad(const Scope& scope, const Operation& op,
                                    const OutputList& grads,
                                    OutputList* results) {
  const Output by_example = ops::ExpandDims(scope, grads[0], -1);
  results->push_back(ops::Mul(scope, by_example, op.output(1)));
  results->push_back(NoGradient());
  return scope.status();
}

template <typename GradOp>
absl::Status SparseSegmentGrad(const Scope& scope, const Operation& op,
                               const OutputList& grads, OutputList* results) {
  const Output shape = ops::Shape(scope, op.input(0));
  results->push_back(GradOp(scope, grads[0], op.input(1), op.input(2),
                            FirstDimension(scope, shape)));
  results->push_back(NoGradient());
  results->push_back(NoGradient());
  return scope.status();
}

bool RegisterAll() {
  auto* registry = ops::GradOpRegistry::Global();
  registry->Register("ResourceGather", ResourceGatherGrad);
  registry->Register("SparseSoftmaxCrossEntropyWithLogits",
                     SparseCrossEntropyGrad);
  registry->Register("SparseSegmentSum",
                     SparseSegmentGrad<ops::SparseSegmentSumGrad>);
  registry->Register("SparseSegmentMean",
                     SparseSegmentGrad<ops::SparseSegmentMeanGrad>);
  return true;
}

}  // namespace

void RegisterMissingGradients() {
  [[maybe_unused]] static const bool registered = RegisterAll();
}

}  // namespace rekindle
