#include "component/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/io/batch_order.h"
#include "component/io/saved_model_reader.h"
#include "component/tasks/schema_columns.h"
#include "component/training/evaluator.h"
#include "component/training/export.h"
#include "component/training/run_state.h"
#include "component/training/warm_start.h"
#include "tensorflow/c/c_api.h"

namespace rekindle {
namespace {

// How many examples of a large training set its loss is measured on.
constexpr int64_t kMostTrainLossExamples = 1 << 16;
// How many examples of the eval split try the export.
constexpr int64_t kProbeExamples = 16;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

absl::Duration TimeSince(Clock::time_point start) {
  return absl::Seconds(SecondsSince(start));
}

// Adds what was being done to an error's message.
absl::Status While(absl::string_view doing, const absl::Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(status.message(), " (", doing, ")")};
}

// Mean loss and speed since the last line that was printed.
class Progress {
 public:
  void Add(double loss) {
    sum_ += loss;
    ++steps_;
  }

  std::string Line(int64_t step, int64_t total) {
    const auto steps = static_cast<double>(steps_);
    const int width = static_cast<int>(absl::StrCat(total).size());
    std::string line =
        absl::StrFormat("step %*d/%d  loss %.4f  %.0f steps/s", width, step,
                        total, sum_ / steps, steps / SecondsSince(start_));
    *this = Progress();
    return line;
  }

 private:
  double sum_ = 0;
  int64_t steps_ = 0;
  Clock::time_point start_ = Clock::now();
};

std::string DescribeModel(const TabularClassifier& model) {
  const Columns& columns = model.columns();
  int64_t weights = 0;
  for (const VariableSpec& variable : model.variables()) {
    if (variable.trainable) weights += variable.shape.num_elements();
  }
  return absl::StrFormat(
      "model: %d numeric and %d categorical features, %d classes of '%s', "
      "%d weights",
      columns.numeric.size(), columns.categorical.size(),
      columns.label.classes.size(), columns.label.name, weights);
}

NamedTensors ZeroSlots(const std::vector<VariableSpec>& variables) {
  NamedTensors zeros;
  for (const VariableSpec& variable : variables) {
    tensorflow::Tensor tensor(tensorflow::DT_FLOAT, variable.shape);
    tensor.flat<float>().setZero();
    zeros[variable.name] = std::move(tensor);
  }
  return zeros;
}

}  // namespace

ClassifierRun::ClassifierRun(const ExecutorInput& input, TrainerEnvironment environment)
    : input_(input),
      environment_(std::move(environment)),
      progress_file_(input.progress_path) {}

absl::Status ClassifierRun::Run() {
  output_.environment["tensorflow_version"] = TF_Version();
  RK_RETURN_IF_ERROR(CheckInput());
  RK_RETURN_IF_ERROR(Load());
  RK_RETURN_IF_ERROR(Initialise());
  RK_RETURN_IF_ERROR(Train());
  return Finish();
}

absl::Status ClassifierRun::CheckInput() const {
  const std::vector<std::pair<absl::string_view, bool>> required = {
      {"train_files", !input_.train_files.empty()},
      {"eval_files", !input_.eval_files.empty()},
      {"schema_path", !input_.schema_path.empty()},
      {"serving_model_dir", !input_.serving_model_dir.empty()},
      {"model_run_dir", !input_.model_run_dir.empty()}};
  for (const auto& [key, given] : required) {
    if (given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("executor input: '", key, "' is empty"));
  }
  if (!input_.transform_graph_path.empty()) {
    return absl::UnimplementedError(
        "executor input: 'transform_graph_path' is set, but this trainer takes "
        "examples as they are");
  }
  for (const auto& steps : {input_.train_steps, input_.eval_steps}) {
    if (steps.value_or(1) >= 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("executor input: a number of steps is ", *steps,
                     ", expected at least 1"));
  }
  return absl::OkStatus();
}

absl::Status ClassifierRun::Load() {
  RK_ASSIGN_OR_RETURN(config_, ParseTrainerConfig(input_.custom_config,
                                                  input_.hyperparameters));
  total_steps_ = input_.train_steps.value_or(config_.train_steps);
  RK_ASSIGN_OR_RETURN(const absl::Time deadline,
                      ParseInputDeadline(input_.deadline));
  budget_ = TimeBudget(deadline);
  RK_ASSIGN_OR_RETURN(const SchemaColumns schema,
                      ReadSchemaColumns(input_.schema_path, config_.label_key));
  for (const std::string& note : schema.notes) Log(note);
  RK_RETURN_IF_ERROR(LoadExamplesOf(schema.columns));

  model_ =
      std::make_unique<TabularClassifier>(schema.columns, config_.hidden_units);
  Log(DescribeModel(*model_));
  const Clock::time_point opening = Clock::now();
  RK_ASSIGN_OR_RETURN(session_,
                      OpenTrainingSession(*model_, config_.learning_rate));
  budget_.MeasuredSession(TimeSince(opening));
  RK_ASSIGN_OR_RETURN(const auto devices, session_->Devices());
  output_.environment["devices"] = absl::StrJoin(devices, ",");
  checkpoints_ = std::make_unique<CheckpointManager>(input_.model_run_dir,
                                                     config_.max_to_keep);
  return absl::OkStatus();
}

absl::Status ClassifierRun::LoadExamplesOf(const Columns& columns) {
  absl::StatusOr<ExampleDataset> train =
      LoadExamples(input_.train_files, columns);
  RK_RETURN_IF_ERROR(While("reading the train split", train.status()));
  absl::StatusOr<ExampleDataset> eval = LoadExamples(
      input_.eval_files, columns, {.keep_serialized = kProbeExamples});
  RK_RETURN_IF_ERROR(While("reading the eval split", eval.status()));
  train_ = *std::move(train);
  eval_ = *std::move(eval);
  Log(absl::StrFormat("examples: %d train, %d eval", train_.size(),
                      eval_.size()));
  return absl::OkStatus();
}

absl::Status ClassifierRun::Initialise() {
  RK_ASSIGN_OR_RETURN(const std::optional<std::string> checkpoint,
                      checkpoints_->Latest());
  if (checkpoint.has_value()) {
    return While(absl::StrCat("resuming from '", *checkpoint,
                              "'; remove the folder to start afresh"),
                 Resume(*checkpoint));
  }
  return Start();
}

absl::Status ClassifierRun::Start() {
  NamedTensors values = ZeroSlots(session_->variables());
  for (auto& [name, value] :
       model_->InitialValues(train_, static_cast<uint64_t>(config_.seed))) {
    values[name] = value;
  }
  if (!input_.base_model.empty()) {
    RK_RETURN_IF_ERROR(WarmStartFromBase(&values));
  }
  RK_RETURN_IF_ERROR(session_->Assign(values));
  const Clock::time_point start = Clock::now();
  RK_ASSIGN_OR_RETURN(const Evaluation train,
                      Evaluate(train_, kMostTrainLossExamples, *session_));
  RK_ASSIGN_OR_RETURN(const Evaluation eval,
                      Evaluate(eval_, EvalExamples(), *session_));
  // A resumed run finds it in the checkpoint.
  output_.metrics["eval_seconds"] = SecondsSince(start);
  output_.metrics["first_loss"] = train.loss;
  output_.metrics["first_eval_loss"] = eval.loss;
  output_.metrics["first_eval_accuracy"] = eval.accuracy;
  Log(absl::StrFormat(
      "before training: train loss %.4f, eval loss %.4f, accuracy %.4f",
      train.loss, eval.loss, eval.accuracy));
  return absl::OkStatus();
}

absl::Status ClassifierRun::WarmStartFromBase(NamedTensors* values) {
  const absl::StatusOr<SavedVariables> base =
      ReadSavedVariables(input_.base_model);
  RK_RETURN_IF_ERROR(While("reading the base model", base.status()));
  const WarmStart plan = PlanWarmStart(model_->variables(), model_->axes(),
                                       *base, input_.base_model);
  Log(FormatWarmStart(plan.report));
  output_.warm_start = plan.report;
  if (plan.restored.empty() && !config_.allow_no_match) {
    return absl::FailedPreconditionError(absl::StrCat(
        "no variable of base model '", input_.base_model,
        "' fits this model; train without it, or set allow_no_match in "
        "custom_config"));
  }
  for (const auto& [name, value] : plan.restored) (*values)[name] = value;
  return absl::OkStatus();
}

absl::Status ClassifierRun::Resume(const std::string& checkpoint) {
  RK_ASSIGN_OR_RETURN(const NamedTensors tensors, ReadTensors(checkpoint));
  RK_ASSIGN_OR_RETURN(output_, RestoreRunState(tensors, session_->variables()));
  RK_RETURN_IF_ERROR(session_->Assign(tensors));
  output_.resumed_from_step = output_.global_step;
  saved_step_ = output_.global_step;
  Log(absl::StrFormat("resumed at step %d of %d from '%s'", output_.global_step,
                      total_steps_, checkpoint));
  return absl::OkStatus();
}

absl::Status ClassifierRun::Train() {
  BatchOrder order(train_.size(), config_.batch_size,
                   static_cast<uint64_t>(config_.seed));
  const Clock::time_point start = Clock::now();
  const int64_t first = output_.global_step;
  Progress progress;
  budget_.MeasuredEvaluation(absl::Seconds(output_.metrics["eval_seconds"]));
  Clock::time_point step_start = start;
  while (output_.global_step < total_steps_) {
    if (environment_.stop_signal() != 0) {
      RK_RETURN_IF_ERROR(SaveCheckpoint());
      return Stopped();
    }
    if (budget_.IsUsedUp(environment_.now())) {
      RK_RETURN_IF_ERROR(StopForDeadline());
      break;
    }
    train_.Gather(order.Rows(output_.global_step), &batch_);
    float loss = 0;
    RK_RETURN_IF_ERROR(TrainStep(output_.global_step, &loss));
    const int64_t done = ++output_.global_step;
    budget_.MeasuredStep(TimeSince(std::exchange(step_start, Clock::now())));
    progress_file_.Tell(done, total_steps_, environment_.now());
    progress.Add(loss);
    if (done % config_.log_interval == 0 || done == total_steps_) {
      Log(progress.Line(done, total_steps_));
    }
    if (done % config_.checkpoint_interval == 0) {
      RK_RETURN_IF_ERROR(SaveCheckpoint());
    }
  }
  const double seconds = SecondsSince(start);
  output_.metrics["train_seconds"] = seconds;
  output_.metrics["steps_per_second"] =
      static_cast<double>(output_.global_step - first) / seconds;
  progress_file_.TellNow(output_.global_step, total_steps_, environment_.now());
  return SaveCheckpoint();
}

absl::Status ClassifierRun::StopForDeadline() {
  if (output_.global_step == 0) {
    return absl::DeadlineExceededError(absl::StrFormat(
        "the deadline %s leaves no time to train: evaluation, checkpoint and "
        "export need about %s",
        input_.deadline, absl::FormatDuration(budget_.Reserve())));
  }
  Log(absl::StrFormat(
      "stopped at step %d of %d: %s are left for evaluation, checkpoint and "
      "export before the deadline %s",
      output_.global_step, total_steps_,
      absl::FormatDuration(budget_.Reserve()), input_.deadline));
  return absl::OkStatus();
}

absl::Status ClassifierRun::TrainStep(int64_t step, float* loss) {
  RK_ASSIGN_OR_RETURN(*loss, session_->Step(step, batch_));
  if (std::isfinite(*loss)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "the loss is %f at step %d: lower learning_rate, which is %g, or look "
      "for extreme values in the examples",
      *loss, step, config_.learning_rate));
}

absl::Status ClassifierRun::SaveCheckpoint() {
  if (saved_step_ == output_.global_step) return absl::OkStatus();
  const Clock::time_point start = Clock::now();
  RK_ASSIGN_OR_RETURN(NamedTensors tensors, session_->Read());
  AddRunState(output_, &tensors);
  RK_RETURN_IF_ERROR(While("writing a checkpoint",
                           checkpoints_->Save(output_.global_step, tensors)));
  saved_step_ = output_.global_step;
  budget_.MeasuredCheckpoint(TimeSince(start));
  return absl::OkStatus();
}

absl::Status ClassifierRun::Finish() {
  RK_ASSIGN_OR_RETURN(const Evaluation train,
                      Evaluate(train_, kMostTrainLossExamples, *session_));
  RK_ASSIGN_OR_RETURN(const Evaluation eval,
                      Evaluate(eval_, EvalExamples(), *session_));
  output_.metrics["train_loss"] = train.loss;
  output_.metrics["loss"] = eval.loss;
  output_.metrics["accuracy"] = eval.accuracy;
  output_.metrics["train_examples"] = static_cast<double>(train_.size());
  output_.metrics["eval_examples"] = static_cast<double>(eval.examples);
  Log(absl::StrFormat(
      "after training: train loss %.4f, eval loss %.4f, accuracy %.4f",
      train.loss, eval.loss, eval.accuracy));
  if (environment_.stop_signal() != 0) return Stopped();
  RK_RETURN_IF_ERROR(Export());
  output_.train_complete = output_.global_step >= total_steps_;
  return absl::OkStatus();
}

absl::Status ClassifierRun::Export() {
  RK_ASSIGN_OR_RETURN(const NamedTensors values, session_->Read());
  RK_RETURN_IF_ERROR(ExportModel(*model_, values, input_.serving_model_dir));
  const auto probes = static_cast<int64_t>(eval_.serialized().size());
  RK_ASSIGN_OR_RETURN(const tensorflow::Tensor scores,
                      session_->Scores(eval_.Slice(0, probes)));
  absl::Status valid =
      ValidateExport(input_.serving_model_dir, eval_.serialized(), scores);
  if (!valid.ok()) {
    valid.SetPayload(kReasonPayload, absl::Cord("INVALID_OUTPUT"));
    return valid;
  }
  Log(absl::StrFormat(
      "exported: %s (loaded again, gives the same scores on %d examples)",
      input_.serving_model_dir, probes));
  return absl::OkStatus();
}

absl::Status ClassifierRun::Stopped() const {
  const int signal = environment_.stop_signal();
  return absl::CancelledError(absl::StrFormat(
      "stopped by %s at step %d of %d; a retry continues from its checkpoint",
      signal == SIGINT ? "SIGINT" : "SIGTERM", output_.global_step,
      total_steps_));
}

// eval_steps counts batches; without it the whole split is used.
int64_t ClassifierRun::EvalExamples() const {
  if (!input_.eval_steps.has_value()) return eval_.size();
  const int64_t batches =
      std::min(*input_.eval_steps, eval_.size());  // Keeps it from overflowing.
  return std::min(batches * config_.batch_size, eval_.size());
}

void ClassifierRun::Log(const std::string& line) const {
  *environment_.log << line << (line.ends_with('\n') ? "" : "\n") << std::flush;
}

}  // namespace rekindle
