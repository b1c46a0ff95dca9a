// Differentiates operations: reads a JSON list of cases on standard input and
// prints the list of their gradients, of the sum of the first output times
// `weights`, by each input of float. The peer test compares them with Python's.
//
//   {"op": "SparseSegmentSum", "weights": {...},
//    "inputs": [{"type": "float32", "shape": [2], "values": [1, 2]}, ...]}
//      -> [[...], ...]
//
// The first input of ResourceGather is a variable of that value.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "component/graph/missing_gradients.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::nlohmann::json;
using ::tensorflow::Output;
using ::tensorflow::Tensor;

void OrThrow(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <typename T>
Tensor Fill(const json& from) {
  tensorflow::TensorShape shape;
  for (const json& size : from.at("shape")) shape.AddDim(size.get<int64_t>());
  Tensor tensor(tensorflow::DataTypeToEnum<T>::value, shape);
  const auto values = from.at("values").get<std::vector<T>>();
  std::copy(values.begin(), values.end(), tensor.flat<T>().data());
  return tensor;
}

Tensor ReadTensor(const json& from) {
  const auto type = from.at("type").get<std::string>();
  if (type == "int32") return Fill<int32_t>(from);
  if (type == "int64") return Fill<int64_t>(from);
  return Fill<float>(from);
}

class Differentiation {
 public:
  explicit Differentiation(const json& from) {
    const auto op = from.at("op").get<std::string>();
    for (const json& input : from.at("inputs")) {
      const Tensor value = ReadTensor(input);
      AddInput(op == "ResourceGather" && inputs_.empty(), value);
    }
    const Output result = AddOperation(op);
    const Output weights = ops::Const(scope_, ReadTensor(from.at("weights")));
    OrThrow(tensorflow::AddSymbolicGradients(scope_, {result}, floats_,
                                             {weights}, &gradients_));
  }

  json Run() {
    tensorflow::GraphDef def;
    OrThrow(scope_.ToGraphDef(&def));
    const std::unique_ptr<tensorflow::Session> session(
        tensorflow::NewSession({}));
    OrThrow(session->Create(def));
    if (!inits_.empty()) OrThrow(session->Run({}, {}, inits_, nullptr));
    json results = json::array();
    for (const Output& gradient : gradients_) {
      std::vector<Tensor> fetched;
      OrThrow(session->Run({}, {gradient.name()}, {}, &fetched));
      const auto flat = fetched[0].flat<float>();
      results.push_back(
          std::vector<float>(flat.data(), flat.data() + flat.size()));
    }
    return results;
  }

 private:
  void AddInput(bool is_variable, const Tensor& value) {
    Output input = ops::Const(scope_, value);
    if (is_variable) {
      const ops::VarHandleOp handle(scope_, value.dtype(), value.shape());
      const ops::AssignVariableOp init(scope_, handle, input);
      inits_.push_back(init.operation.node()->name());
      input = handle.resource;
    }
    inputs_.push_back(input);
    if (value.dtype() == tensorflow::DT_FLOAT) floats_.push_back(input);
  }

  Output AddOperation(const std::string& op) {
    tensorflow::NodeBuilder builder(scope_.GetUniqueNameForOp(op), op);
    for (const Output& input : inputs_) {
      builder.Input(
          tensorflow::NodeBuilder::NodeOut(input.node(), input.index()));
    }
    if (op == "ResourceGather") builder.Attr("dtype", tensorflow::DT_FLOAT);
    scope_.UpdateBuilder(&builder);
    tensorflow::Node* node = nullptr;
    OrThrow(builder.Finalize(scope_.graph(), &node));
    OrThrow(scope_.DoShapeInference(node));
    return Output(node, 0);
  }

  tensorflow::Scope scope_ = tensorflow::Scope::NewRootScope();
  std::vector<Output> inputs_;
  std::vector<Output> floats_;
  std::vector<Output> gradients_;
  std::vector<std::string> inits_;
};

}  // namespace
}  // namespace rekindle

int main() {
  rekindle::RegisterMissingGradients();
  nlohmann::json results = nlohmann::json::array();
  for (const auto& test : nlohmann::json::parse(std::cin)) {
    results.push_back(rekindle::Differentiation(test).Run());
  }
  std::cout << results.dump() << '\n';
}
