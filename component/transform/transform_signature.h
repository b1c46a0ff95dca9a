// Internal to component/transform.
#ifndef REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_SIGNATURE_H_
#define REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_SIGNATURE_H_

#include "absl/status/statusor.h"
#include "component/transform/transform_graph.h"
#include "tensorflow/core/protobuf/meta_graph.pb.h"

namespace rekindle {

// What a transform graph takes and gives, by the names of features. A plain
// value.
struct TransformSignature {
  TransformTensors inputs;
  TransformTensors outputs;
};

// Reads it from a SavedModel of tensorflow_transform. In graphs of TensorFlow 1
// `transform_signature` names the features. In those of TensorFlow 2 the inputs
// of `serving_default` are numbered; the type of the function `transform_fn`
// says which belong to which feature.
//
//   INVALID_ARGUMENT  it has no such signature, or not of that form
//   UNIMPLEMENTED     a feature is neither dense nor sparse
absl::StatusOr<TransformSignature> ReadTransformSignature(
    const tensorflow::MetaGraphDef& meta);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_SIGNATURE_H_
