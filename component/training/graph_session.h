// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_GRAPH_SESSION_H_
#define REKINDLE_COMPONENT_TRAINING_GRAPH_SESSION_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/training/replicated_graph.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {

// The graph of a model in training, with the values of its variables, in a
// TensorFlow session. Variables have no value until Assign gives them one.
// Thread-compatible.
//
// Every method may also return what TensorFlow returns, with the same code.
class GraphSession {
 public:
  // `fetch_outputs`: training steps put out more than their loss.
  static absl::StatusOr<std::unique_ptr<GraphSession>> Open(
      ReplicatedGraph graph, std::unique_ptr<tensorflow::Session> session,
      bool fetch_outputs);

  const ReplicatedGraph& graph() const { return graph_; }

  // Sets the variables that are named in `values`, on every replica.
  absl::Status Assign(const NamedTensors& values);

  // The value of every variable.
  absl::StatusOr<NamedTensors> Read();

  // Makes a training step on one batch per replica, with the optimizer's
  // scalars; returns the mean of the replicas' losses before it.
  absl::StatusOr<float> Train(const std::vector<Batch>& batches,
                              const std::vector<float>& scalars);

  // Evaluates a batch; returns its loss.
  absl::StatusOr<float> Validate(const Batch& batch);

  // What the last step put out on `replica`, in the order of its output_names;
  // valid until the next step.
  std::span<const tensorflow::Tensor> Outputs(size_t replica) const;

 private:
  GraphSession(ReplicatedGraph graph,
               std::unique_ptr<tensorflow::Session> session);

  absl::StatusOr<tensorflow::Session::CallableHandle> MakeCallable(
      const StepNodes& step, bool fetch_outputs);
  absl::StatusOr<float> Run(tensorflow::Session::CallableHandle callable,
                            size_t replicas, absl::string_view doing);

  const ReplicatedGraph graph_;
  const std::unique_ptr<tensorflow::Session> session_;
  tensorflow::Session::CallableHandle train_ = 0;
  tensorflow::Session::CallableHandle validate_ = 0;
  // Kept between calls for their memory.
  std::vector<tensorflow::Tensor> feeds_;
  std::vector<tensorflow::Tensor> fetched_;  // losses, then outputs
  std::vector<tensorflow::Tensor> scalars_;
  size_t replicas_of_last_ = 1;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_GRAPH_SESSION_H_
