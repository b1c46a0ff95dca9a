#ifndef REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_NODES_H_
#define REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_NODES_H_

#include <map>
#include <string>

#include "component/features/feature_graph.h"
#include "component/transform/transform_graph.h"
#include "rekindle/training/serving_graph.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace rekindle {

// A transform graph inside the graph of a SavedModel: its tables, variables and
// files once, what it computes as often as it is asked for. Errors are kept in
// the graph's scope.
class TransformNodes {
 public:
  // Adds the tables, variables, files and initializers. Neither is owned; both
  // must outlive it.
  TransformNodes(const TransformGraph& transform, ServingGraph& graph);

  // Adds nodes that transform `raw` features of `examples` (an int64 scalar)
  // examples; returns every transformed feature. One that is computed from a
  // feature which `raw` has not is not to be used.
  RawFeatures Apply(const RawFeatures& raw, const tensorflow::Output& examples);

 private:
  // Name of a tensor in the transform graph -> the tensor here.
  using Tensors = std::map<std::string, tensorflow::Output>;
  using Nodes = std::map<std::string, tensorflow::Node*>;

  // Adds a part of the transform graph, with `inputs` in place of its own;
  // returns its nodes by the names that they have there.
  Nodes Import(const tensorflow::GraphDef& part, const Tensors& inputs);
  void AddState();
  void TellState(const Nodes& added);
  Tensors Fed(const RawFeatures& raw, const tensorflow::Output& examples);

  const TransformGraph& transform_;
  ServingGraph& graph_;
  tensorflow::GraphDef body_;  // what the outputs need
  // Tables and variables of the body, and variables with a value.
  Tensors resources_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRANSFORM_TRANSFORM_NODES_H_
