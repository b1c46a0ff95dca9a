#ifndef REKINDLE_TESTS_COMPONENT_OPTIMIZERS_OPTIMIZER_RUN_H_
#define REKINDLE_TESTS_COMPONENT_OPTIMIZERS_OPTIMIZER_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rekindle/training/graph_builder.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {

// What a step gives an optimizer for one variable; with rows, it is of these.
struct FedGradient {
  tensorflow::Tensor value;
  tensorflow::Tensor rows;
  bool has_rows = false;
};

// Lets an optimizer change variables by given gradients, in a session as a
// trainer has it. Throws std::runtime_error on any error.
class OptimizerRun {
 public:
  // `first` tells which variables get gradients, and which of them with rows.
  OptimizerRun(const Optimizer& optimizer, const NamedTensors& weights,
               const std::map<std::string, FedGradient>& first);

  void Step(int64_t step, const std::map<std::string, FedGradient>& gradients);

  // Every variable and every slot.
  NamedTensors Values();

 private:
  void AddVariable(const VariableSpec& spec, const tensorflow::Tensor& value);
  void AddSlots(const NamedTensors& weights);
  void AddUpdates(const std::map<std::string, FedGradient>& first);
  void Open();

  const Optimizer& optimizer_;
  tensorflow::Scope scope_ = tensorflow::Scope::NewRootScope();
  GraphBuilder graph_{scope_};
  std::vector<VariableSpec> variables_;
  std::vector<std::string> inits_;
  std::vector<std::string> updates_;
  std::map<std::string, std::string> reads_;  // variable -> tensor
  std::unique_ptr<tensorflow::Session> session_;
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_OPTIMIZERS_OPTIMIZER_RUN_H_
