#ifndef REKINDLE_TRAINING_TRAINER_H_
#define REKINDLE_TRAINING_TRAINER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/model.h"
#include "rekindle/training/next_step.h"
#include "rekindle/training/restore_report.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace rekindle {

// Runs a task's steps: the inner loop. The outer one, which decides when to
// save, to evaluate and to stop, is the Controller's. Thread-compatible.
class Trainer {
 public:
  virtual ~Trainer() = default;

  virtual int64_t global_step() const = 0;

  // Makes `steps` steps, or as many as before_step allows; returns the mean
  // `training_loss` over them, the `learning_rate` of the last one, and the
  // task's training metrics.
  virtual absl::StatusOr<Logs> Train(int64_t steps) = 0;

  // Evaluates on the validation data, at most `steps` batches of it (-1: all);
  // returns `validation_loss`, `validation_examples` and the task's metrics.
  virtual absl::StatusOr<Logs> Evaluate(int64_t steps) = 0;

  // Sets every variable as the task initializes it: a run without a
  // checkpoint. What became of each is in restored() afterwards.
  virtual absl::Status Initialize() = 0;
  virtual const RestoreReport& restored() const = 0;

  // What a checkpoint holds: the model, the optimizer, global_step and the
  // position of the input. Of a trainer that only evaluates, all that it was
  // given by Restore: a run can go on from it.
  virtual absl::StatusOr<NamedTensors> State() = 0;

  // Takes it over.
  //
  //   FAILED_PRECONDITION  it is of another model
  virtual absl::Status Restore(const NamedTensors& state) = 0;

  // The values of the model's variables to export: averages, where the
  // optimizer keeps some.
  virtual absl::StatusOr<NamedTensors> ExportValues() = 0;

  // The first batch of the validation data and what a validation step puts out
  // for it, by name; nothing when there is none.
  virtual absl::StatusOr<NamedTensors> FirstValidationStep() = 0;

  // What a step computes, to look at; empty: it is not known.
  virtual tensorflow::GraphDef Graph() const { return {}; }

  virtual const Model& model() const = 0;
};

// What a trainer is made of. Nothing is owned, all must outlive the trainer.
struct TrainerParts {
  const ExperimentConfig* config = nullptr;
  Task* task = nullptr;
  const Strategy* strategy = nullptr;
  bool train = true;     // reads train_data
  bool evaluate = true;  // reads validation_data
  // Called before every step with the global step; Train returns unless it
  // says kGoOn. May be empty.
  std::function<NextStep(int64_t)> before_step;
};

using TrainerFactory = std::function<absl::StatusOr<std::unique_ptr<Trainer>>(
    const TrainerParts& parts)>;

// Registers a trainer, which an experiment then names in trainer.trainer.
// Returns false when the name is taken; then MakeTrainer says so.
bool RegisterTrainer(const std::string& name, TrainerFactory factory);

// Makes the trainer that config.trainer.trainer names.
//
//   NOT_FOUND  no trainer has that name; the nearest is suggested
absl::StatusOr<std::unique_ptr<Trainer>> MakeTrainer(const TrainerParts& parts);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_TRAINER_H_
