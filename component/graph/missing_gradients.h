#ifndef REKINDLE_COMPONENT_GRAPH_MISSING_GRADIENTS_H_
#define REKINDLE_COMPONENT_GRAPH_MISSING_GRADIENTS_H_

namespace rekindle {

// Teaches TensorFlow's C++ side gradients that only its Python side has:
// ResourceGather, SparseSoftmaxCrossEntropyWithLogits, SparseSegmentSum, Mean
// and SqrtN, these also WithNumSegments, and Xlogy. AddSymbolicGradients then
// differentiates through them. The second call does nothing. Thread-safe.
void RegisterMissingGradients();

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_GRAPH_MISSING_GRADIENTS_H_
