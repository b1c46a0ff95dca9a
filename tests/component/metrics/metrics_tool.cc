// Runs metrics over batches: reads a JSON list of cases on standard input and
// prints the list of what each reports. The peer test compares it with Keras.
//
//   {"metric": "auc", "classes": ["a", "b", "c"],
//    "batches": [{"label": {"type": "int64", "shape": [2], "values": [0, 1]},
//                 "scores": {...}}, ...]}
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace rekindle {
namespace {

using ::nlohmann::json;
using ::tensorflow::Tensor;

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

std::unique_ptr<Metric> Make(const json& from) {
  const auto name = from.at("metric").get<std::string>();
  const ClassificationInputs inputs = {
      "label", "scores", from.value("classes", std::vector<std::string>())};
  if (name == "accuracy") return MakeAccuracy(inputs);
  if (name == "precision_recall") return MakePrecisionAndRecall(inputs);
  if (name == "auc") return MakeAuc(inputs);
  if (name == "log_loss") return MakeLogLoss(inputs);
  if (name == "mse") return MakeMeanSquaredError({"label", "scores"});
  if (name == "mae") return MakeMeanAbsoluteError({"label", "scores"});
  if (name == "mean") return MakeMean("scores", "label");
  throw std::invalid_argument("unknown metric " + name);
}

json Measure(const json& from) {
  const std::unique_ptr<Metric> metric = Make(from);
  for (const json& batch : from.at("batches")) {
    NamedTensors step;
    for (const auto& [name, tensor] : batch.items()) {
      step[name] = ReadTensor(tensor);
    }
    const absl::Status updated = metric->Update(step);
    if (!updated.ok()) throw std::runtime_error(updated.ToString());
  }
  Logs logs;
  metric->Report(&logs);
  return logs;
}

}  // namespace
}  // namespace rekindle

int main() {
  nlohmann::json results = nlohmann::json::array();
  for (const auto& test : nlohmann::json::parse(std::cin)) {
    results.push_back(rekindle::Measure(test));
  }
  std::cout << results.dump() << '\n';
}
