#include "component/transform/transform_nodes.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "component/transform/graph_trace.h"
#include "component/transform/raw_inputs.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/core/common_runtime/graph_constructor.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/graph/graph.h"
#include "tensorflow/core/graph/tensor_id.h"

namespace rekindle {
namespace {

using ::tensorflow::GraphDef;
using ::tensorflow::NodeDef;
using ::tensorflow::Output;
using ::tensorflow::SafeTensorId;
using ::tensorflow::Scope;

SafeTensorId IdOf(const std::string& tensor) {
  return SafeTensorId(tensorflow::ParseTensorName(tensor));
}

// Whether a node stands for something that a session keeps: a table, a
// variable.
bool IsResource(const NodeDef& node) {
  const tensorflow::OpDef* op = nullptr;
  return node.input_size() == 0 &&
         tensorflow::OpRegistry::Global()->LookUpOpDef(node.op(), &op).ok() &&
         op->is_stateful() && op->output_arg_size() == 1 &&
         op->output_arg(0).type() == tensorflow::DT_RESOURCE;
}

std::vector<std::string> NodesOfOutputs(const TransformTensors& outputs) {
  std::vector<std::string> nodes;
  for (const auto& [feature, output] : outputs) {
    nodes.push_back(NodeOf(output.values));
    if (!output.is_sparse()) continue;
    nodes.push_back(NodeOf(output.indices));
    nodes.push_back(NodeOf(output.dense_shape));
  }
  return nodes;
}

}  // namespace

TransformNodes::TransformNodes(const TransformGraph& transform,
                               ServingGraph& graph)
    : transform_(transform),
      graph_(graph),
      body_(PartBehind(transform.graph, NodesOfOutputs(transform.outputs))) {
  AddState();
}

void TransformNodes::AddState() {
  std::vector<std::string> nodes = transform_.initializers;
  for (const TransformAsset& asset : transform_.assets) {
    nodes.push_back(NodeOf(asset.tensor));
  }
  for (const auto& [variable, value] : transform_.variables) {
    nodes.push_back(variable);
  }
  std::vector<std::string> resources;
  for (const NodeDef& node : body_.node()) {
    if (IsResource(node)) resources.push_back(node.name());
  }
  nodes.insert(nodes.end(), resources.begin(), resources.end());
  const Nodes added = Import(PartBehind(transform_.graph, nodes), {});
  if (!graph_.scope().ok()) return;
  for (const std::string& resource : resources) {
    resources_[absl::StrCat(resource, ":0")] = Output(added.at(resource), 0);
  }
  TellState(added);
}

void TransformNodes::TellState(const Nodes& added) {
  for (const TransformAsset& asset : transform_.assets) {
    graph_.AddAsset({.path = Output(added.at(NodeOf(asset.tensor)), 0),
                     .file = asset.file});
  }
  for (const std::string& node : transform_.initializers) {
    graph_.AddInitializer(tensorflow::Operation(added.at(node)));
  }
  for (const auto& [variable, value] : transform_.variables) {
    tensorflow::Node* handle = added.at(variable);
    graph_.AddFixedVariable(handle->name(),
                            {.handle = Output(handle, 0), .value = value});
  }
}

TransformNodes::Tensors TransformNodes::Fed(const RawFeatures& raw,
                                            const Output& examples) {
  Tensors fed = resources_;
  for (const auto& [feature, input] : transform_.inputs) {
    const auto given = raw.find(feature);
    const RawFeature tensors =
        given != raw.end() ? given->second
                           : AbsentFeature(graph_.scope(), input, examples);
    fed[input.values] = tensors.values;
    if (!input.is_sparse()) continue;
    fed[input.indices] = *tensors.indices;
    fed[input.dense_shape] = *tensors.dense_shape;
  }
  return fed;
}

RawFeatures TransformNodes::Apply(const RawFeatures& raw,
                                  const Output& examples) {
  RawFeatures transformed;
  if (!graph_.scope().ok()) return transformed;
  const Tensors inputs = Fed(raw, examples);
  const Nodes added = Import(body_, inputs);
  if (!graph_.scope().ok()) return transformed;
  const auto tensor = [&](const std::string& name) {
    const auto fed = inputs.find(name);
    if (fed != inputs.end()) return fed->second;
    return Output(added.at(NodeOf(name)), IdOf(name).index());
  };
  for (const auto& [feature, output] : transform_.outputs) {
    RawFeature& result = transformed[feature];
    result.values = tensor(output.values);
    if (!output.is_sparse()) continue;
    result.indices = tensor(output.indices);
    result.dense_shape = tensor(output.dense_shape);
  }
  return transformed;
}

TransformNodes::Nodes TransformNodes::Import(const GraphDef& part,
                                             const Tensors& inputs) {
  const Scope& scope = graph_.scope();
  Nodes added;
  if (!scope.ok()) return added;
  tensorflow::ImportGraphDefOptions options;
  options.prefix = scope.GetUniqueNameForOp("transform");
  for (const auto& [tensor, replacement] : inputs) {
    options.input_map[IdOf(tensor)] =
        SafeTensorId(replacement.node()->name(), replacement.index());
  }
  const int first = scope.graph()->num_node_ids();
  scope.UpdateStatus(tensorflow::ImportGraphDef(options, part, scope.graph(),
                                                nullptr, nullptr));
  for (int id = first; scope.ok() && id < scope.graph()->num_node_ids(); ++id) {
    tensorflow::Node* node = scope.graph()->FindNodeId(id);
    added[node->name().substr(options.prefix.size() + 1)] = node;
    // The scope's later nodes ask for the shapes of these.
    scope.UpdateStatus(scope.DoShapeInference(node));
  }
  return added;
}

}  // namespace rekindle
