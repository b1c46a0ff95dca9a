#ifndef REKINDLE_COMPONENT_TRAINING_TRAINER_H_
#define REKINDLE_COMPONENT_TRAINING_TRAINER_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "component/config/trainer_config.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "rekindle/training/checkpoint_manager.h"
#include "component/io/example_dataset.h"
#include "component/tasks/tabular_classifier.h"
#include "component/training/progress_file.h"
#include "component/training/time_budget.h"
#include "component/training/training_session.h"

namespace rekindle {

// What a trainer takes from the process it runs in.
struct TrainerEnvironment {
  // The signal that asked to stop, 0 for none. Asked before every step.
  std::function<int()> stop_signal;
  // Gets progress, in lines. Not owned, must outlive the trainer.
  std::ostream* log = nullptr;
  // What the input's deadline is compared with.
  std::function<absl::Time()> now = absl::Now;
};

// One training run, from an executor input to a SavedModel: reads the examples,
// continues from the run's latest checkpoint or starts (warm, when there is a
// base model), trains, evaluates, exports and tries the export. With a deadline
// it stops training early enough for the rest to fit; the model is then not
// `train_complete`. Thread-compatible; Run is called once.
class ClassifierRun {
 public:
  // `input` is not owned and must outlive the trainer.
  ClassifierRun(const ExecutorInput& input, TrainerEnvironment environment);

  // Trains. On an error nothing is in the serving folder that would load, and
  // checkpoints stay where they are.
  //
  //   INVALID_ARGUMENT     the input, its configuration, schema or examples
  //                        cannot be used, or the loss is not finite
  //   NOT_FOUND            a file is not there
  //   DATA_LOSS            a file is damaged
  //   FAILED_PRECONDITION  the base model shares nothing with the model, or
  //                        the checkpoint is of another model
  //   CANCELLED            asked to stop; a checkpoint was written
  //   DEADLINE_EXCEEDED    not one step fits before the deadline
  //   UNAVAILABLE          a file cannot be written
  //   INTERNAL             TensorFlow failed
  absl::Status Run();

  // What is known so far, also after an error; without `error` itself.
  const ExecutorOutput& output() const { return output_; }

 private:
  // The stages of Run, in order.
  absl::Status CheckInput() const;
  absl::Status Load();
  absl::Status Initialise();
  absl::Status Train();
  absl::Status Finish();

  absl::Status LoadExamplesOf(const Columns& columns);
  absl::Status Start();
  absl::Status Resume(const std::string& checkpoint);
  absl::Status WarmStartFromBase(NamedTensors* values);
  absl::Status TrainStep(int64_t step, float* loss);
  absl::Status SaveCheckpoint();
  absl::Status StopForDeadline();
  absl::Status Export();
  absl::Status Stopped() const;
  int64_t EvalExamples() const;
  void Log(const std::string& line) const;

  const ExecutorInput& input_;
  const TrainerEnvironment environment_;
  ClassifierConfig config_;
  int64_t total_steps_ = 0;
  ExampleDataset train_;
  ExampleDataset eval_;
  std::unique_ptr<TabularClassifier> model_;
  std::unique_ptr<TrainingSession> session_;
  std::unique_ptr<CheckpointManager> checkpoints_;
  std::optional<int64_t> saved_step_;
  TimeBudget budget_{absl::InfiniteFuture()};
  ProgressFile progress_file_;
  ExampleBatch batch_;
  ExecutorOutput output_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_TRAINER_H_
