#ifndef REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_GRAPH_H_
#define REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_GRAPH_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {

// A feature in a transform graph: dense, one row per example, or sparse. The
// names are those of tensors, as in "node:0". A plain value.
struct TransformTensor {
  tensorflow::DataType type = tensorflow::DT_INVALID;
  tensorflow::PartialTensorShape shape;  // of a dense one
  std::string values;
  std::string indices;  // of a sparse one, else empty
  std::string dense_shape;

  bool is_sparse() const { return !indices.empty(); }
};
using TransformTensors = std::map<std::string, TransformTensor>;  // by feature

// A file that the graph's initializers read.
struct TransformAsset {
  std::string tensor;  // which is fed with its path
  std::string file;
};

// What tensorflow_transform learned of raw examples, as a graph that transforms
// them. A plain value.
struct TransformGraph {
  std::string folder;
  tensorflow::GraphDef graph;
  TransformTensors inputs;   // raw features
  TransformTensors outputs;  // transformed ones
  std::vector<TransformAsset> assets;
  std::vector<std::string> initializers;  // nodes, run once
  NamedTensors variables;                 // by VarHandleOp

  // The raw features that the transformed ones in `features` are computed
  // from.
  std::set<std::string> InputsOf(const std::set<std::string>& features) const;
};

// The schema of transformed examples in the artifact at `folder`.
std::string TransformedSchemaPath(const std::string& folder);

// Reads a TransformGraph artifact: `transform_fn`, a SavedModel in the style of
// TensorFlow 1 or 2, `transformed_metadata/schema.pbtxt` and
// `metadata/schema.pbtxt`, the schema of raw examples.
//
//   NOT_FOUND         one of them is not there
//   INVALID_ARGUMENT  the SavedModel is not tensorflow_transform's, or takes a
//                     feature that the raw schema has not
//   UNIMPLEMENTED     a feature is neither dense nor sparse
//   DATA_LOSS         a file is damaged
absl::StatusOr<TransformGraph> ReadTransformGraph(const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_GRAPH_H_
