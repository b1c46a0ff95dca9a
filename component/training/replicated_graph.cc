#include "component/training/replicated_graph.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/no_op.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::DataType;
using ::tensorflow::Operation;
using ::tensorflow::Output;
using ::tensorflow::PartialTensorShape;
using ::tensorflow::Scope;

std::string ReplicaName(size_t replica) {
  return replica == 0 ? "" : absl::StrCat("replica_", replica, "/");
}

class Builder {
 public:
  explicit Builder(const GraphParts& parts) : parts_(parts) {}

  absl::StatusOr<ReplicatedGraph> Build() {
    AddVariables();
    if (parts_.train_spec != nullptr) {
      RK_RETURN_IF_ERROR(AddTrainStep());
    }
    if (parts_.validation_spec != nullptr) AddValidationStep();
    absl::Status built = root_.status();
    if (built.ok()) built = root_.ToGraphDef(&out_.graph);
    if (built.ok()) return std::move(out_);
    return absl::InvalidArgumentError(
        absl::StrCat("the graph of the task is not valid: ", built.message()));
  }

 private:
  size_t replicas() const { return parts_.strategy->devices().size(); }

  Scope OnDevice(size_t replica) const {
    return root_.WithDevice(parts_.strategy->devices()[replica]);
  }

  // A scope that has failed has no nodes to name; Build returns its error.
  std::string NameOf(const Output& output) const {
    return root_.ok() ? output.name() : "";
  }
  std::string NameOf(const Operation& operation) const {
    return root_.ok() ? operation.node()->name() : "";
  }

  Output Input(const Scope& scope, const std::string& name, DataType type,
               const PartialTensorShape& shape) const {
    return ops::Placeholder(scope.WithOpName(name), type,
                            ops::Placeholder::Shape(shape));
  }

  void AddVariables() {
    for (size_t replica = 0; replica < replicas(); ++replica) {
      graphs_.push_back(
          std::make_unique<StepGraph>(OnDevice(replica), ReplicaName(replica),
                                      parts_.strategy->replicas()));
    }
    for (const VariableSpec& spec : parts_.model->variables()) {
      AddVariable(spec);
    }
    const std::set<std::string> averages = Averages();
    for (const SlotSpec& slot :
         parts_.optimizer->Slots(parts_.model->variables())) {
      if (parts_.train_spec == nullptr &&
          !averages.contains(slot.variable.name)) {
        continue;
      }
      AddVariable(slot.variable);
    }
  }

  // The slots that an evaluation reads.
  std::set<std::string> Averages() const {
    std::set<std::string> names;
    for (const VariableSpec& spec : parts_.model->variables()) {
      names.insert(parts_.optimizer->AverageOf(spec));
    }
    return names;
  }

  void AddVariable(const VariableSpec& spec) {
    const Scope scope = root_.NewSubScope("state");
    const Output value = Input(scope, absl::StrCat(spec.name, "/value"),
                               tensorflow::DT_FLOAT, spec.shape);
    VariableNodes nodes{
        .spec = spec, .read = "", .value = NameOf(value), .assigns = {}};
    for (const auto& graph : graphs_) {
      graph->AddVariable(spec);
      const ops::AssignVariableOp assign(graph->scope(),
                                         graph->Handle(spec.name), value);
      nodes.assigns.push_back(NameOf(assign.operation));
    }
    nodes.read = NameOf(
        ops::ReadVariableOp(scope.WithOpName(spec.name, "/read"),
                            graphs_[0]->Handle(spec.name), tensorflow::DT_FLOAT)
            .value);
    out_.variables.push_back(std::move(nodes));
  }

  // The placeholders of a batch, by name.
  NamedOutputs AddBatch(const Scope& scope, const std::vector<TensorSpec>& spec,
                        ReplicaNodes* nodes) const {
    NamedOutputs inputs;
    for (const TensorSpec& tensor : spec) {
      const Output input = Input(scope, tensor.name, tensor.type, tensor.shape);
      inputs[tensor.name] = input;
      nodes->feeds.push_back(NameOf(input));
    }
    return inputs;
  }

  void NameResults(const StepGraph& graph, ReplicaNodes* nodes) const {
    nodes->loss = NameOf(graph.loss());
    for (const auto& [name, output] : graph.outputs()) {
      nodes->output_names.push_back(name);
      nodes->outputs.push_back(NameOf(output));
    }
  }

  absl::Status AddTrainStep() {
    std::vector<StepGraph*> replicas;
    for (size_t i = 0; i < graphs_.size() && root_.ok(); ++i) {
      StepGraph& graph = *graphs_[i];
      ReplicaNodes nodes;
      const NamedOutputs inputs =
          AddBatch(graph.scope().NewSubScope(ReplicaName(i) + "train_batch"),
                   *parts_.train_spec, &nodes);
      parts_.task->TrainStep(graph, inputs, *parts_.model);
      out_.train.replicas.push_back(std::move(nodes));
      replicas.push_back(&graph);
    }
    if (!root_.ok()) return absl::OkStatus();  // Build says why.
    RK_ASSIGN_OR_RETURN(auto gradients, parts_.strategy->Reduce(replicas));
    // Only now: between workers the loss becomes that of all of them.
    for (size_t i = 0; i < replicas.size(); ++i) {
      NameResults(*replicas[i], &out_.train.replicas[i]);
    }
    AddUpdates(std::move(gradients));
    return absl::OkStatus();
  }

  void AddUpdates(std::vector<std::vector<Gradient>> gradients) {
    NamedOutputs scalars;
    for (const std::string& name : parts_.optimizer->ScalarNames()) {
      scalars[name] =
          Input(root_.NewSubScope("optimizer"), name, tensorflow::DT_FLOAT, {});
      out_.train.scalars.push_back(NameOf(scalars[name]));
    }
    std::vector<Operation> updates;
    for (size_t i = 0; i < graphs_.size(); ++i) {
      const std::vector<Operation> of_replica = parts_.optimizer->Apply(
          *graphs_[i], std::move(gradients[i]), scalars);
      updates.insert(updates.end(), of_replica.begin(), of_replica.end());
    }
    if (!root_.ok()) return;
    const ops::NoOp step(
        root_.WithOpName("train_step").WithControlDependencies(updates));
    out_.train.target = NameOf(step.operation);
  }

  // On the first replica's variables, or on the averages that the optimizer
  // keeps of them.
  void AddValidationStep() {
    StepGraph graph(OnDevice(0).NewSubScope("validation"), "", 1);
    for (const VariableSpec& spec : parts_.model->variables()) {
      graph.AddVariable(spec, parts_.optimizer->AverageOf(spec));
    }
    ReplicaNodes nodes;
    const NamedOutputs inputs = AddBatch(graph.scope().NewSubScope("batch"),
                                         *parts_.validation_spec, &nodes);
    parts_.task->ValidationStep(graph, inputs, *parts_.model);
    NameResults(graph, &nodes);
    out_.validation.replicas.push_back(std::move(nodes));
  }

  const GraphParts& parts_;
  const Scope root_ = Scope::NewRootScope();
  std::vector<std::unique_ptr<StepGraph>> graphs_;
  ReplicatedGraph out_;
};

}  // namespace

absl::StatusOr<ReplicatedGraph> BuildReplicatedGraph(const GraphParts& parts) {
  return Builder(parts).Build();
}

}  // namespace rekindle
