#include "component/training/training_graph.h"

#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/nn_ops.h"
#include "tensorflow/cc/ops/no_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/ops/training_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::DataType;
using ::tensorflow::Output;
using ::tensorflow::PartialTensorShape;
using ::tensorflow::Scope;

constexpr float kAdamEpsilon = 1e-7f;  // Keras's default

class GraphBuilder {
 public:
  GraphBuilder(const TabularClassifier& model, double learning_rate)
      : model_(model), learning_rate_(static_cast<float>(learning_rate)) {}

  absl::StatusOr<TrainingGraph> Build() {
    for (const VariableSpec& spec : model_.variables()) AddVariable(spec);
    const Output loss = AddLoss();
    AddTrainStep(loss);
    absl::Status built = scope_.status();
    if (built.ok()) built = scope_.ToGraphDef(&out_.graph);
    if (!built.ok()) {
      return absl::InternalError(
          absl::StrCat("the training graph is not valid: ", built.message()));
    }
    return std::move(out_);
  }

 private:
  Output Input(const std::string& name, DataType type,
               const PartialTensorShape& shape, std::string* node) {
    Output input = ops::Placeholder(scope_.WithOpName(name), type,
                                    ops::Placeholder::Shape(shape));
    *node = input.name();
    return input;
  }

  // A scope that has failed has no nodes to name; Build returns its error.
  std::string NameOf(const Output& output) const {
    return scope_.ok() ? output.name() : "";
  }

  void AddVariable(const VariableSpec& spec) {
    const Output handle =
        ops::VarHandleOp(scope_.WithOpName(spec.name), tensorflow::DT_FLOAT,
                         spec.shape, ops::VarHandleOp::SharedName(spec.name));
    const Output read = ops::ReadVariableOp(
        scope_.WithOpName(spec.name, "/read"), handle, tensorflow::DT_FLOAT);
    std::string value;
    const ops::AssignVariableOp assign(
        scope_.WithOpName(spec.name, "/assign"), handle,
        Input(spec.name + "/value", tensorflow::DT_FLOAT, spec.shape, &value));
    handles_[spec.name] = handle;
    reads_[spec.name] = read;
    out_.variables.push_back(
        {spec, read.name(), value, assign.operation.node()->name()});
  }

  // Adds the network and what is measured on a batch; returns the mean loss.
  Output AddLoss() {
    TrainingNodes& nodes = out_.nodes;
    const Columns& columns = model_.columns();
    const auto width = [](const auto& list) {
      return static_cast<int64_t>(list.size());
    };
    const Output numeric = Input("numeric", tensorflow::DT_FLOAT,
                                 {-1, width(columns.numeric)}, &nodes.numeric);
    const Output categorical =
        Input("categorical", tensorflow::DT_INT32,
              {-1, width(columns.categorical)}, &nodes.categorical);
    const Output labels =
        Input("labels", tensorflow::DT_INT32, {-1}, &nodes.labels);

    const Output logits = model_.Logits(
        scope_, model_.BatchInputs(scope_, numeric, categorical), reads_);
    const Output wanted =
        ops::OneHot(scope_, labels,
                    static_cast<int>(columns.label.classes.size()), 1.0f, 0.0f);
    // The sparse form of this operation has no gradient in C++.
    const ops::SoftmaxCrossEntropyWithLogits losses(scope_, logits, wanted);
    AddMeasures(logits, labels, losses.loss);
    Output mean = ops::Mean(scope_.WithOpName("mean_loss"), losses.loss, 0);
    nodes.mean_loss = NameOf(mean);
    return mean;
  }

  void AddMeasures(const Output& logits, const Output& labels,
                   const Output& losses) {
    const Output best = ops::ArgMax(
        scope_, logits, 1, ops::ArgMax::OutputType(tensorflow::DT_INT32));
    const Output hits = ops::Cast(scope_, ops::Equal(scope_, best, labels),
                                  tensorflow::DT_INT64);
    TrainingNodes& nodes = out_.nodes;
    nodes.correct =
        NameOf(ops::Sum(scope_.WithOpName("correct"), hits, 0).output);
    nodes.loss_sum =
        NameOf(ops::Sum(scope_.WithOpName("loss_sum"), losses, 0).output);
    nodes.scores =
        NameOf(ops::Softmax(scope_.WithOpName("scores"), logits).softmax);
  }

  void AddTrainStep(const Output& loss) {
    std::vector<std::string> names;
    std::vector<Output> reads;
    for (const VariableSpec& spec : model_.variables()) {
      if (!spec.trainable) continue;
      names.push_back(spec.name);
      reads.push_back(reads_.at(spec.name));
      for (const char* slot : {"/Adam/m", "/Adam/v"}) {
        AddVariable({spec.name + slot, spec.shape, false});
      }
    }
    std::vector<Output> gradients;
    scope_.UpdateStatus(
        tensorflow::AddSymbolicGradients(scope_, {loss}, reads, &gradients));
    if (scope_.ok()) AddAdam(names, gradients);
  }

  void AddAdam(const std::vector<std::string>& names,
               const std::vector<Output>& gradients) {
    const Output beta1_power =
        Input("beta1_power", tensorflow::DT_FLOAT, {}, &out_.nodes.beta1_power);
    const Output beta2_power =
        Input("beta2_power", tensorflow::DT_FLOAT, {}, &out_.nodes.beta2_power);
    std::vector<tensorflow::Operation> updates;
    for (size_t i = 0; i < names.size(); ++i) {
      updates.push_back(ops::ResourceApplyAdam(
          scope_, handles_.at(names[i]), handles_.at(names[i] + "/Adam/m"),
          handles_.at(names[i] + "/Adam/v"), beta1_power, beta2_power,
          learning_rate_, static_cast<float>(kAdamBeta1),
          static_cast<float>(kAdamBeta2), kAdamEpsilon, gradients[i]));
    }
    const ops::NoOp step(
        scope_.WithOpName("train_step").WithControlDependencies(updates));
    out_.nodes.train_step = step.operation.node()->name();
  }

  const TabularClassifier& model_;
  const float learning_rate_;
  Scope scope_ = Scope::NewRootScope();
  std::map<std::string, Output> handles_;
  std::map<std::string, Output> reads_;
  TrainingGraph out_;
};

}  // namespace

absl::StatusOr<TrainingGraph> BuildTrainingGraph(const TabularClassifier& model,
                                                 double learning_rate) {
  return GraphBuilder(model, learning_rate).Build();
}

}  // namespace rekindle
