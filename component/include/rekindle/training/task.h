#ifndef REKINDLE_TRAINING_TASK_H_
#define REKINDLE_TRAINING_TASK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/model.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/restore_report.h"
#include "rekindle/training/step_graph.h"
#include "rekindle/training/tensors.h"

namespace rekindle {

// Everything about one kind of learning: its data, its model, its loss and its
// measures. Written for one replica; how many there are, on how many machines,
// is the strategy's business. Model Garden's Task. Thread-compatible.
//
// A task must say BuildInputs and BuildModel, and usually BuildLosses and
// BuildMetrics.
class Task {
 public:
  virtual ~Task() = default;

  // The stream of batches that `data` describes.
  virtual absl::StatusOr<std::unique_ptr<Dataset>> BuildInputs(
      const DataConfig& data, const InputContext& context) = 0;

  // The network, called once.
  virtual absl::StatusOr<std::unique_ptr<Model>> BuildModel() = 0;

  // Adds the loss of a batch, a scalar: the mean over its examples. `inputs`
  // are the batch's tensors, labels among them. By default, 0.
  virtual tensorflow::Output BuildLosses(const tensorflow::Scope& scope,
                                         const NamedOutputs& inputs,
                                         const NamedOutputs& model_outputs);

  // What to measure over many batches.
  virtual std::vector<std::unique_ptr<Metric>> BuildMetrics(bool training);

  // Adds a training step: calls the model, the loss, and applies the loss's
  // gradients. The mean loss of all replicas is what is lowered.
  virtual void TrainStep(StepGraph& graph, const NamedOutputs& inputs,
                         const Model& model);

  // Adds an evaluation step: calls the model and the loss.
  virtual void ValidationStep(StepGraph& graph, const NamedOutputs& inputs,
                              const Model& model);

  // Changes the values of a cold start (`values`, every variable of `model`)
  // before the first step of a run that has no checkpoint, and reports for each
  // what it did. By default takes over those of config().init_checkpoint, which
  // must have all of them, or those that fit of config().base_model.
  //
  //   INVALID_ARGUMENT     both are set
  //   NOT_FOUND            there is no such checkpoint or model
  //   FAILED_PRECONDITION  it is of another model
  virtual absl::Status Initialize(const Model& model, NamedTensors* values,
                                  RestoreReport* report);

  // Measures what a Metric cannot: takes in what a validation step put out
  // (`state` is the task's own, empty at first), and reports it at the end.
  virtual absl::Status AggregateLogs(const NamedTensors& step,
                                     std::shared_ptr<void>* state);
  virtual absl::StatusOr<Logs> ReduceAggregatedLogs(
      const std::shared_ptr<void>& state, int64_t global_step);

  virtual absl::StatusOr<std::unique_ptr<Optimizer>> CreateOptimizer(
      const OptimizationConfig& config, const RuntimeConfig& runtime);

  // Sentences for the log, about what the task decided when it was made.
  virtual std::vector<std::string> Notes() const { return {}; }

  virtual const TaskConfig& config() const = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_TASK_H_
