#ifndef REKINDLE_TRAINING_CONTROLLER_H_
#define REKINDLE_TRAINING_CONTROLLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rekindle/training/action.h"
#include "rekindle/training/checkpoint_manager.h"
#include "rekindle/training/metric.h"
#include "rekindle/training/next_step.h"
#include "rekindle/training/summary_writer.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/trainer.h"

namespace rekindle {

struct ControllerOptions {
  Trainer* trainer = nullptr;  // not owned, must outlive the controller
  int64_t steps_per_loop = 1;  // between two looks at anything else
  // Not owned; null: nothing is saved or restored.
  CheckpointManager* checkpoints = nullptr;
  // Else it restores and trains, in the same loops, and does nothing between
  // them: another worker evaluates and saves.
  bool is_chief = true;
  bool saves_when_stopped = true;      // else what was not saved yet is lost
  int64_t checkpoint_interval = 1000;  // in steps, looked at between loops
  std::vector<Action> train_actions;   // after each loop of training
  std::vector<Action> eval_actions;    // after each evaluation
  // Not owned; null: nothing is written. `summary_interval` is a multiple of
  // steps_per_loop.
  SummaryWriter* train_summaries = nullptr;
  SummaryWriter* eval_summaries = nullptr;
  int64_t summary_interval = 0;
  // Gets lines: "train | step: 100 | ...". May be empty.
  std::function<void(absl::string_view line)> log = {};
  // Asked between loops. May be empty.
  std::function<NextStep()> next_step;
};

// The outer loop of training: loops of steps, with everything else between
// them. Orbit's Controller. Thread-compatible.
class Controller {
 public:
  // Restores the latest checkpoint, or initializes where there is none.
  // Afterwards the trainer's variables have values.
  //
  //   INVALID_ARGUMENT  the options contradict each other
  static absl::StatusOr<std::unique_ptr<Controller>> Make(
      ControllerOptions options);

  // A checkpoint was restored.
  bool restored() const { return restored_; }

  // Trains up to global step `steps`, then saves.
  absl::StatusOr<Logs> Train(int64_t steps, bool checkpoint_at_end = true);

  // Evaluates on `steps` batches; -1: all. Only the chief does; the others get
  // no measures.
  absl::StatusOr<Logs> Evaluate(int64_t steps = -1);

  // Trains up to global step `train_steps` and evaluates at every multiple of
  // `eval_interval` (0: none) and at the end. Returns the last evaluation.
  absl::StatusOr<Logs> TrainAndEvaluate(int64_t train_steps,
                                        int64_t eval_steps = -1,
                                        int64_t eval_interval = 0);

  // Evaluates each new checkpoint until `done`, or none has come for `timeout`.
  absl::StatusOr<Logs> EvaluateContinuously(int64_t eval_steps,
                                            absl::Duration timeout,
                                            const std::function<bool()>& done);

  absl::Status SaveCheckpoint();
  // Restores the checkpoint at `path`; empty: the latest.
  absl::Status RestoreCheckpoint(const std::string& path = "");

 private:
  explicit Controller(ControllerOptions options);

  absl::Status RestoreOrInitialize();
  absl::StatusOr<Logs> TrainLoop(int64_t steps);
  absl::Status MaybeSave();
  absl::Status WriteSummaries(const Logs& logs);
  // Of the model's variables, as a checkpoint holds them.
  absl::Status WriteHistograms(int64_t step, const NamedTensors& state) const;
  // After the last step of a run, however that came to be the last.
  absl::Status SaveAtEnd();
  NextStep Next() const;
  void Log(const std::string& line) const;

  ControllerOptions options_;
  bool restored_ = false;
  int64_t saved_step_ = -1;
  int64_t summarized_step_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CONTROLLER_H_
