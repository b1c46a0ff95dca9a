// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_REPLICATED_GRAPH_H_
#define REKINDLE_COMPONENT_TRAINING_REPLICATED_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/model.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace rekindle {

// Where a step gets a replica's batch and puts what it found: names of nodes
// and tensors.
struct ReplicaNodes {
  std::vector<std::string> feeds;  // in the order of the dataset's spec
  std::string loss;
  std::vector<std::string> output_names;
  std::vector<std::string> outputs;  // by output_names
};

struct StepNodes {
  std::vector<ReplicaNodes> replicas;
  std::vector<std::string> scalars;  // the optimizer's, in its order
  std::string target;                // empty: there is nothing but to fetch
};

struct VariableNodes {
  VariableSpec spec;
  std::string read;
  std::string value;                 // a placeholder
  std::vector<std::string> assigns;  // of `value`, one per replica
};

// A graph that trains a model on the devices of a strategy and evaluates it on
// the first of them.
struct ReplicatedGraph {
  tensorflow::GraphDef graph;
  // The model's, then the optimizer's: all of them to train, else the averages.
  std::vector<VariableNodes> variables;
  StepNodes train;
  StepNodes validation;
};

// What it is built of. Nothing is owned.
struct GraphParts {
  Task* task = nullptr;
  const Model* model = nullptr;
  const Strategy* strategy = nullptr;
  const Optimizer* optimizer = nullptr;
  const std::vector<TensorSpec>* train_spec = nullptr;       // null: none
  const std::vector<TensorSpec>* validation_spec = nullptr;  // null: none
};

//   INVALID_ARGUMENT  the task's graph is not valid
absl::StatusOr<ReplicatedGraph> BuildReplicatedGraph(const GraphParts& parts);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_REPLICATED_GRAPH_H_
