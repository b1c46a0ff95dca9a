// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_TRAINING_GRAPH_H_
#define REKINDLE_COMPONENT_TRAINING_TRAINING_GRAPH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/tasks/tabular_classifier.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace rekindle {

// Adam's decay rates, whose powers a step is fed.
inline constexpr double kAdamBeta1 = 0.9;
inline constexpr double kAdamBeta2 = 0.999;

// Names of the graph's nodes that a session feeds and fetches.
struct TrainingNodes {
  // Fed: a batch, and for a step the powers of Adam's decay rates.
  std::string numeric, categorical, labels, beta1_power, beta2_power;
  // Fetched.
  std::string mean_loss, loss_sum, correct, scores;
  // Run.
  std::string train_step;
};

// A variable of the graph, an optimizer's slot included.
struct TrainingVariable {
  VariableSpec spec;
  std::string read;   // fetched
  std::string value;  // fed to the operation `assign`
  std::string assign;
};

struct TrainingGraph {
  tensorflow::GraphDef graph;
  TrainingNodes nodes;
  std::vector<TrainingVariable> variables;
};

// The graph that trains `model`: softmax cross-entropy and Adam. Slots of the
// optimizer are variables named `<variable>/Adam/m` and `<variable>/Adam/v`.
//
//   INTERNAL  the graph is not valid
absl::StatusOr<TrainingGraph> BuildTrainingGraph(const TabularClassifier& model,
                                                 double learning_rate);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_TRAINING_GRAPH_H_
