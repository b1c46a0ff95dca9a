#include "component/transform/raw_inputs.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "component/io/string_tensor.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/parsing_ops.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/graph/node_builder.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::DataType;
using ::tensorflow::Output;
using ::tensorflow::PartialTensorShape;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;

// What one example has of a dense feature: its shape without the first
// dimension, each of which is known.
PartialTensorShape RowShape(const TransformTensor& input) {
  PartialTensorShape row({});
  for (int i = 1; i < input.shape.dims(); ++i) {
    row.AddDim(input.shape.dim_size(i));
  }
  return row;
}

// How ParseExampleV2 wants features to be named.
struct Keys {
  std::vector<std::string> sparse;
  std::vector<DataType> sparse_types;
  std::vector<std::string> dense;
  std::vector<Output> defaults;  // empty: a value must be there
  std::vector<PartialTensorShape> shapes;
};

Keys KeysOf(const Scope& scope, const TransformTensors& inputs) {
  Keys keys;
  for (const auto& [feature, input] : inputs) {
    if (input.is_sparse()) {
      keys.sparse.push_back(feature);
      keys.sparse_types.push_back(input.type);
      continue;
    }
    keys.dense.push_back(feature);
    keys.shapes.push_back(RowShape(input));
    keys.defaults.push_back(ops::Const(
        scope, tensorflow::Input::Initializer(Tensor(input.type, {0}))));
  }
  return keys;
}

// RaggedTensorToSparse, which TensorFlow's C++ API has no function for.
RawFeature SparseOfRagged(const Scope& scope, const Output& values,
                          const Output& row_splits) {
  using tensorflow::NodeBuilder;
  tensorflow::Node* node = nullptr;
  scope.UpdateStatus(
      NodeBuilder(scope.GetUniqueNameForOp("to_sparse"), "RaggedTensorToSparse")
          .Input(std::vector<NodeBuilder::NodeOut>{
              {row_splits.node(), row_splits.index()}})
          .Input(values.node(), values.index())
          .Finalize(scope.graph(), &node));
  if (!scope.ok()) return {};
  scope.UpdateStatus(scope.DoShapeInference(node));
  return {.values = Output(node, 1),
          .indices = Output(node, 0),
          .row_splits = std::nullopt,
          .dense_shape = Output(node, 2)};
}

Output AddPlaceholder(const Scope& scope, DataType type,
                      const PartialTensorShape& shape) {
  return ops::Placeholder(scope.WithOpName("raw_input"), type,
                          ops::Placeholder::Shape(shape));
}

Output FirstDimension(const Scope& scope, const Output& tensor) {
  const Output shape =
      ops::Shape(scope, tensor, ops::Shape::OutType(tensorflow::DT_INT64));
  return ops::GatherV2(scope, shape, 0, 0);
}

// A scalar 0 or "".
Output Nothing(const Scope& scope, DataType type) {
  if (type == tensorflow::DT_STRING) return ops::Const(scope, "");
  return ops::Cast(scope, ops::Const(scope, 0), type);
}

}  // namespace

RawFeatures ParseRawExamples(const Scope& scope, const TransformTensors& inputs,
                             const Output& serialized) {
  const Keys keys = KeysOf(scope, inputs);
  const Output none = ops::Const(scope, StringTensor({}));
  const ops::ParseExampleV2 parsed(
      scope.WithOpName("parse_raw"), serialized, none,
      ops::Const(scope, StringTensor(keys.sparse)),
      ops::Const(scope, StringTensor(keys.dense)), none, keys.defaults,
      static_cast<int64_t>(keys.sparse.size()), keys.sparse_types, {}, {},
      keys.shapes);
  RawFeatures raw;
  if (!scope.ok()) return raw;
  for (size_t i = 0; i < keys.sparse.size(); ++i) {
    raw[keys.sparse[i]] = {.values = parsed.sparse_values[i],
                           .indices = parsed.sparse_indices[i],
                           .row_splits = std::nullopt,
                           .dense_shape = parsed.sparse_shapes[i]};
  }
  for (size_t i = 0; i < keys.dense.size(); ++i) {
    raw[keys.dense[i]] = {.values = parsed.dense_values[i],
                          .indices = std::nullopt,
                          .row_splits = std::nullopt,
                          .dense_shape = std::nullopt};
  }
  return raw;
}

RawPlaceholders AddRawPlaceholders(const Scope& scope,
                                   const TransformTensors& inputs) {
  RawPlaceholders added;
  for (const auto& [feature, input] : inputs) {
    const PartialTensorShape shape =
        input.is_sparse() ? PartialTensorShape({-1}) : input.shape;
    const Output values = AddPlaceholder(scope, input.type, shape);
    added.tensors[feature] = {values, shape};
    if (!input.is_sparse()) {
      added.features[feature].values = values;
      added.examples = FirstDimension(scope, values);
      continue;
    }
    const Output splits = AddPlaceholder(scope, tensorflow::DT_INT64, {-1});
    added.tensors[RowSplitsTensor(feature)] = {splits, {-1}};
    added.features[feature] = SparseOfRagged(scope, values, splits);
    added.examples = ops::Sub(scope, FirstDimension(scope, splits), int64_t{1});
  }
  return added;
}

RawFeature AbsentFeature(const Scope& scope, const TransformTensor& input,
                         const Output& examples) {
  if (!input.is_sparse()) {
    std::vector<Output> dimensions = {examples};
    const PartialTensorShape row = RowShape(input);
    for (int i = 0; i < row.dims(); ++i) {
      dimensions.push_back(ops::Const(scope, int64_t{row.dim_size(i)}));
    }
    RawFeature dense;
    dense.values = ops::Fill(scope, ops::Stack(scope, dimensions),
                             Nothing(scope, input.type));
    return dense;
  }
  const Output zero = ops::Const(scope, int64_t{0});
  return {.values = ops::Const(
              scope, tensorflow::Input::Initializer(Tensor(input.type, {0}))),
          .indices = ops::Const(scope, tensorflow::Input::Initializer(Tensor(
                                           tensorflow::DT_INT64, {0, 2}))),
          .row_splits = std::nullopt,
          .dense_shape = ops::Stack(scope, {examples, zero})};
}

std::string EmptyRawExample(const TransformTensors& inputs) {
  tensorflow::Example example;
  for (const auto& [feature, input] : inputs) {
    if (input.is_sparse()) continue;
    tensorflow::Feature& added =
        (*example.mutable_features()->mutable_feature())[feature];
    const int64_t values = RowShape(input).num_elements();
    for (int64_t i = 0; i < values; ++i) {
      if (input.type == tensorflow::DT_STRING) {
        added.mutable_bytes_list()->add_value("");
      } else if (input.type == tensorflow::DT_INT64) {
        added.mutable_int64_list()->add_value(0);
      } else {
        added.mutable_float_list()->add_value(0);
      }
    }
  }
  return example.SerializeAsString();
}

}  // namespace rekindle
