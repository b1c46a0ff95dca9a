#ifndef REKINDLE_COMPONENT_TRANSFORM_RAW_INPUTS_H_
#define REKINDLE_COMPONENT_TRANSFORM_RAW_INPUTS_H_

#include <map>
#include <string>

#include "component/features/feature_graph.h"
#include "component/transform/transform_graph.h"
#include "rekindle/training/signature.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// Adds nodes that parse `serialized`, raw tf.Examples [n], into what a
// transform graph takes as `inputs`: of a dense feature every example must have
// its values, a sparse one may be absent.
RawFeatures ParseRawExamples(const tensorflow::Scope& scope,
                             const TransformTensors& inputs,
                             const tensorflow::Output& serialized);

// Adds a placeholder for each of `inputs`: dense ones by their name; sparse
// ones ragged, by their name and NAME/row_splits.
struct RawPlaceholders {
  std::map<std::string, SignatureTensor> tensors;
  RawFeatures features;
  tensorflow::Output examples;  // how many there are, int64
};
RawPlaceholders AddRawPlaceholders(const tensorflow::Scope& scope,
                                   const TransformTensors& inputs);

// Adds nodes for a feature that nothing asked for is computed from: zeros or
// empty strings, or no values, for `examples` of them.
RawFeature AbsentFeature(const tensorflow::Scope& scope,
                         const TransformTensor& input,
                         const tensorflow::Output& examples);

// A tf.Example that ParseRawExamples can parse: zeros and empty strings where a
// feature must be there.
std::string EmptyRawExample(const TransformTensors& inputs);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRANSFORM_RAW_INPUTS_H_
