#include "optimizer_run.h"

#include <stdexcept>
#include <utility>

#include "absl/status/status.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Tensor;

void OrThrow(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

Tensor Filled(const tensorflow::TensorShape& shape, float value) {
  Tensor tensor(tensorflow::DT_FLOAT, shape);
  tensor.flat<float>().setConstant(value);
  return tensor;
}

}  // namespace

OptimizerRun::OptimizerRun(const Optimizer& optimizer,
                           const NamedTensors& weights,
                           const std::map<std::string, FedGradient>& first)
    : optimizer_(optimizer) {
  for (const auto& [name, value] : weights) {
    AddVariable({name, value.shape(), true}, value);
  }
  AddSlots(weights);
  AddUpdates(first);
  Open();
}

void OptimizerRun::AddVariable(const VariableSpec& spec, const Tensor& value) {
  graph_.AddVariable(spec);
  const Output handle = graph_.Handle(spec.name);
  const ops::AssignVariableOp assign(scope_, handle, ops::Const(scope_, value));
  const Output read = ops::ReadVariableOp(scope_, handle, tensorflow::DT_FLOAT);
  OrThrow(scope_.status());
  inits_.push_back(assign.operation.node()->name());
  reads_[spec.name] = read.name();
  variables_.push_back(spec);
}

void OptimizerRun::AddSlots(const NamedTensors& weights) {
  for (const SlotSpec& slot : optimizer_.Slots(variables_)) {
    AddVariable(slot.variable,
                slot.copy_of.empty()
                    ? Filled(slot.variable.shape, slot.initial_value)
                    : weights.at(slot.copy_of));
  }
}

void OptimizerRun::AddUpdates(const std::map<std::string, FedGradient>& first) {
  std::vector<Gradient> gradients;
  int number = 0;
  for (const auto& [name, fed] : first) {
    Gradient gradient{name, {}, std::nullopt};
    gradient.value = ops::Placeholder(scope_.WithOpName("value_", number),
                                      fed.value.dtype());
    if (fed.has_rows) {
      gradient.rows = ops::Placeholder(scope_.WithOpName("rows_", number),
                                       fed.rows.dtype());
    }
    gradients.push_back(gradient);
    ++number;
  }
  NamedOutputs scalars;
  for (const std::string& name : optimizer_.ScalarNames()) {
    scalars[name] =
        ops::Placeholder(scope_.WithOpName(name), tensorflow::DT_FLOAT);
  }
  for (const auto& update : optimizer_.Apply(graph_, gradients, scalars)) {
    updates_.push_back(update.node()->name());
  }
}

void OptimizerRun::Open() {
  tensorflow::GraphDef def;
  OrThrow(scope_.ToGraphDef(&def));
  tensorflow::SessionOptions options;
  options.config.set_intra_op_parallelism_threads(1);
  options.config.mutable_experimental()->set_executor_type(
      "SINGLE_THREADED_EXECUTOR");
  session_.reset(tensorflow::NewSession(options));
  OrThrow(session_->Create(def));
  OrThrow(session_->Run({}, {}, inits_, nullptr));
}

void OptimizerRun::Step(int64_t step,
                        const std::map<std::string, FedGradient>& gradients) {
  std::vector<std::pair<std::string, Tensor>> feeds;
  int number = 0;
  for (const auto& [name, fed] : gradients) {
    feeds.emplace_back("value_" + std::to_string(number), fed.value);
    if (fed.has_rows) {
      feeds.emplace_back("rows_" + std::to_string(number), fed.rows);
    }
    ++number;
  }
  const std::vector<std::string> names = optimizer_.ScalarNames();
  const std::vector<float> scalars = optimizer_.Scalars(step);
  for (size_t i = 0; i < names.size(); ++i) {
    feeds.emplace_back(names[i], Tensor(scalars.at(i)));
  }
  OrThrow(session_->Run(feeds, {}, updates_, nullptr));
}

NamedTensors OptimizerRun::Values() {
  NamedTensors values;
  for (const auto& [name, read] : reads_) {
    std::vector<Tensor> fetched;
    OrThrow(session_->Run({}, {read}, {}, &fetched));
    values[name] = fetched[0];
  }
  return values;
}

}  // namespace rekindle
