#ifndef REKINDLE_TRAINING_STEP_GRAPH_H_
#define REKINDLE_TRAINING_STEP_GRAPH_H_

#include <string>
#include <vector>

#include "rekindle/training/graph_builder.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// The graph of one step of one replica, while a task adds to it. After it
// nothing else is added: what the task left here is what the step does.
class StepGraph : public GraphBuilder {
 public:
  // `replicas`: of all workers.
  StepGraph(const tensorflow::Scope& scope, const std::string& prefix,
            int replicas)
      : GraphBuilder(scope, prefix), replicas_(replicas) {}

  // How many replicas take part in the step.
  int replicas() const { return replicas_; }

  // The scalar that is watched: a mean over this replica's examples.
  void SetLoss(const tensorflow::Output& loss) { loss_ = loss; }
  const tensorflow::Output& loss() const { return loss_; }

  // Lets metrics see a tensor of the step, under `name`.
  void Put(const std::string& name, const tensorflow::Output& output) {
    outputs_[name] = output;
  }
  const NamedOutputs& outputs() const { return outputs_; }

  // Changes the variables by `gradients`, once they have been summed over all
  // replicas, by the optimizer.
  void ApplyGradients(std::vector<Gradient> gradients) {
    gradients_ = std::move(gradients);
  }
  const std::vector<Gradient>& gradients() const { return gradients_; }

 private:
  const int replicas_;
  tensorflow::Output loss_;
  NamedOutputs outputs_;
  std::vector<Gradient> gradients_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_STEP_GRAPH_H_
