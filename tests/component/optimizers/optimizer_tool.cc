// Runs optimizers: reads a JSON list of cases on standard input and prints the
// list of their results. The peer test compares them with Keras's.
//
//   {"config": {"optimizer": {"type": "sgd"}, ...},
//    "weights": {"w": {"shape": [2], "values": [1, 2]}},
//    "steps": [{"w": {"shape": [2], "values": [1, 1], "rows": [...]}}, ...]}
//      -> {"values": {"w": [...], "w/slot": [...]}, "averages": {"w": "..."}}
//   {"config": {...}, "rates_at": [0, 10, ...]}  -> {"rates": [...]}
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "component/config/config_layer.h"
#include "component/config/config_tree.h"
#include "optimizer_run.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

template <typename T>
Tensor ReadTensor(const ConfigJson& values, const TensorShape& shape) {
  Tensor tensor(tensorflow::DataTypeToEnum<T>::value, shape);
  const auto list = values.get<std::vector<T>>();
  std::copy(list.begin(), list.end(), tensor.flat<T>().data());
  return tensor;
}

Tensor ReadFloats(const ConfigJson& from) {
  TensorShape shape;
  for (const auto& size : from.at("shape")) shape.AddDim(size.get<int64_t>());
  return ReadTensor<float>(from.at("values"), shape);
}

NamedTensors ReadWeights(const ConfigJson& from) {
  NamedTensors weights;
  for (const auto& [name, value] : from.items()) {
    weights[name] = ReadFloats(value);
  }
  return weights;
}

std::map<std::string, FedGradient> ReadGradients(const ConfigJson& from) {
  std::map<std::string, FedGradient> gradients;
  for (const auto& [name, value] : from.items()) {
    FedGradient& gradient = gradients[name];
    gradient.value = ReadFloats(value);
    gradient.has_rows = value.contains("rows");
    if (!gradient.has_rows) continue;
    const auto rows = static_cast<int64_t>(value.at("rows").size());
    gradient.rows = ReadTensor<int64_t>(value.at("rows"), TensorShape({rows}));
  }
  return gradients;
}

std::unique_ptr<Optimizer> ReadOptimizer(const ConfigJson& from) {
  OptimizationConfig config;
  absl::Status read = ApplyLayer({"case", from}, config);
  if (read.ok()) read = CheckConfig(config);
  if (!read.ok()) throw std::runtime_error(read.ToString());
  auto optimizer = MakeOptimizer(config);
  if (!optimizer.ok()) throw std::runtime_error(optimizer.status().ToString());
  return *std::move(optimizer);
}

ConfigJson Train(const Optimizer& optimizer, const ConfigJson& from) {
  const NamedTensors weights = ReadWeights(from.at("weights"));
  const ConfigJson& steps = from.at("steps");
  OptimizerRun run(optimizer, weights, ReadGradients(steps.at(0)));
  for (size_t i = 0; i < steps.size(); ++i) {
    run.Step(static_cast<int64_t>(i), ReadGradients(steps[i]));
  }
  ConfigJson result = {{"values", ConfigJson::object()},
                       {"averages", ConfigJson::object()}};
  for (const auto& [name, value] : run.Values()) {
    const auto flat = value.flat<float>();
    result["values"][name] =
        std::vector<float>(flat.data(), flat.data() + flat.size());
  }
  for (const auto& [name, value] : weights) {
    result["averages"][name] = optimizer.AverageOf({name, value.shape(), true});
  }
  return result;
}

ConfigJson Run(const ConfigJson& from) {
  const auto optimizer = ReadOptimizer(from.at("config"));
  if (!from.contains("rates_at")) return Train(*optimizer, from);
  ConfigJson rates = ConfigJson::array();
  for (const auto& step : from.at("rates_at")) {
    rates.push_back(optimizer->LearningRate(step.get<int64_t>()));
  }
  return {{"rates", rates}};
}

}  // namespace
}  // namespace rekindle

int main() {
  rekindle::ConfigJson results = rekindle::ConfigJson::array();
  for (const auto& test : rekindle::ConfigJson::parse(std::cin)) {
    results.push_back(rekindle::Run(test));
  }
  std::cout << results.dump() << '\n';
}
