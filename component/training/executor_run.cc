#include "component/training/executor_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "component/config/resolve_experiment.h"
#include "component/input/example_stream.h"
#include "component/io/durable_file.h"
#include "component/io/warmup_requests.h"
#include "component/tasks/tabular_experiments.h"
#include "component/training/model_export.h"
#include "component/training/predictor.h"
#include "component/training/progress_file.h"
#include "component/training/run_start.h"
#include "component/training/time_budget.h"
#include "component/training/warm_start.h"
#include "rekindle/training/run_experiment.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task_registry.h"
#include "tensorflow/c/c_api.h"

namespace rekindle {
namespace {

// The experiment of a step that names none.
constexpr char kDefaultExperiment[] = "tabular/classification";
// How many examples of the eval split try the export.
constexpr int64_t kProbeExamples = 16;

using Clock = std::chrono::steady_clock;

absl::Duration TimeSince(Clock::time_point start) {
  return absl::FromChrono(Clock::now() - start);
}

absl::Status CheckInput(const ExecutorInput& input) {
  const std::vector<std::pair<absl::string_view, bool>> required = {
      {"train_files", !input.train_files.empty()},
      {"eval_files", !input.eval_files.empty()},
      {"serving_model_dir", !input.serving_model_dir.empty()},
      {"model_run_dir", !input.model_run_dir.empty()}};
  for (const auto& [key, given] : required) {
    if (given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("executor input: '", key, "' is empty"));
  }
  for (const auto& steps : {input.train_steps, input.eval_steps}) {
    if (steps.value_or(1) >= 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("executor input: a number of steps is ", *steps,
                     ", expected at least 1"));
  }
  return absl::OkStatus();
}

ExperimentOptions OptionsOf(const ExecutorInput& input) {
  ExperimentOptions options{.custom_config = input.custom_config,
                            .hyperparameters = input.hyperparameters,
                            .train_steps = input.train_steps,
                            .validation_steps = input.eval_steps,
                            .train_files = input.train_files,
                            .validation_files = input.eval_files};
  if (!input.custom_config.is_object() ||
      !input.custom_config.contains("experiment")) {
    options.experiment = kDefaultExperiment;
  }
  for (const auto& [path, value] :
       {std::pair("task.schema_path", input.schema_path),
        std::pair("task.transform_graph_path", input.transform_graph_path),
        std::pair("task.base_model", input.base_model)}) {
    if (!value.empty()) options.arguments[path] = value;
  }
  return options;
}

// What an evaluation measured, under the names that a Model artifact has.
void AddMetrics(const Logs& logs, const std::string& prefix,
                std::map<std::string, double>* metrics) {
  for (const auto& [name, value] : logs) {
    if (name == "validation_examples") {
      (*metrics)["eval_examples"] = value;
    } else {
      const std::string plain = name == "validation_loss" ? "loss" : name;
      (*metrics)[prefix + plain] = value;
    }
  }
}

// "eval loss 0.0654, accuracy 0.9709"
std::string InShort(const Logs& logs) {
  std::string text;
  for (const auto& [name, words] : {std::pair("validation_loss", "eval loss"),
                                    std::pair("accuracy", "accuracy"),
                                    std::pair("mae", "mean absolute error")}) {
    const auto found = logs.find(name);
    if (found == logs.end()) continue;
    absl::StrAppendFormat(&text, "%s%s %.4f", text.empty() ? "" : ", ", words,
                          found->second);
  }
  return text;
}

// The first examples of `data`, as they are in its files.
absl::StatusOr<std::vector<std::string>> FirstExamples(DataConfig data) {
  data.global_batch_size = std::min(data.global_batch_size, kProbeExamples);
  data.drop_remainder = false;
  RK_ASSIGN_OR_RETURN(const auto stream,
                      OpenExampleStream(data, std::nullopt, {}, /*seed=*/0));
  Batch batch;
  RK_RETURN_IF_ERROR(stream->Next(&batch).status());
  std::vector<std::string> examples;
  for (int64_t i = 0; i < batch.size; ++i) {
    examples.emplace_back(batch.tensors[0].flat<tensorflow::tstring>()(i));
  }
  return examples;
}

class ExecutorRun {
 public:
  ExecutorRun(const ExecutorInput& input, const RunEnvironment& environment,
              ExecutorOutput* output)
      : input_(input),
        environment_(environment),
        output_(*output),
        progress_file_(input.progress_path) {}

  absl::Status Run() {
    output_.environment["tensorflow_version"] = TF_Version();
    RK_RETURN_IF_ERROR(CheckInput(input_));
    RK_ASSIGN_OR_RETURN(const absl::Time deadline,
                        ParseInputDeadline(input_.deadline));
    budget_ = TimeBudget(deadline);
    RegisterTabularExperiments();
    RK_ASSIGN_OR_RETURN(config_, ResolveExperiment(OptionsOf(input_)));
    RK_ASSIGN_OR_RETURN(
        task_, MakeTask(*config_->task, {.logging_dir = input_.model_run_dir,
                                         .seed = config_->runtime.seed}));
    RK_ASSIGN_OR_RETURN(
        strategy_,
        MakeStrategy(
            config_->runtime, environment_.tf_config,
            {.worker_timeout = environment_.worker_timeout,
             .should_stop = [this] { return environment_.stop_signal() != 0; },
             .log = environment_.log,
             .require_gpu = environment_.require_gpu}));
    Log(strategy_->Description());
    output_.environment["devices"] = absl::StrJoin(strategy_->devices(), ",");
    for (const std::string& note : task_->Notes()) Log(note);
    RK_ASSIGN_OR_RETURN(RunResult result, Train());
    if (strategy_->is_chief()) RK_RETURN_IF_ERROR(Finish(result));
    return strategy_->Finish();
  }

 private:
  int64_t total_steps() const { return config_->trainer.train_steps; }

  absl::StatusOr<RunResult> Train() {
    if (strategy_->is_chief()) {
      RK_RETURN_IF_ERROR(MakeFolder(input_.model_run_dir));
      RK_RETURN_IF_ERROR(SaveParams(*config_, input_.model_run_dir));
    }
    opened_ = Clock::now();
    RK_ASSIGN_OR_RETURN(
        RunResult result,
        RunExperiment(
            *strategy_, *task_, "train_and_eval", *config_,
            input_.model_run_dir,
            {.before_step = [this](int64_t step) { return BeforeStep(step); },
             .on_start =
                 [this](Trainer& trainer, bool resumed) {
                   return OnStart(trainer, resumed);
                 },
             .log =
                 [this](absl::string_view line) { Log(std::string(line)); }}));
    output_.global_step = result.trainer->global_step();
    if (!result.stopped) return result;
    return environment_.stop_signal() != 0 ? Stopped() : NoTime();
  }

  absl::Status OnStart(Trainer& trainer, bool resumed) {
    budget_.MeasuredSession(TimeSince(opened_));
    if (!strategy_->is_chief()) return absl::OkStatus();
    if (resumed) {
      output_.resumed_from_step = trainer.global_step();
    } else {
      RK_RETURN_IF_ERROR(RecordStart(trainer));
    }
    RK_ASSIGN_OR_RETURN(const RunStart start,
                        ReadRunStart(input_.model_run_dir));
    output_.metrics.insert(start.metrics.begin(), start.metrics.end());
    output_.warm_start = start.warm_start;
    budget_.MeasuredEvaluation(absl::Seconds(output_.metrics["eval_seconds"]));
    started_ = Clock::now();
    first_step_ = trainer.global_step();
    return absl::OkStatus();
  }

  absl::Status RecordStart(Trainer& trainer) {
    RunStart start;
    if (!input_.base_model.empty()) {
      start.warm_start =
          WarmStartReport{.base_model = input_.base_model, .variables = {}};
      for (const RestoredVariable& variable : trainer.restored()) {
        start.warm_start->variables.push_back(
            {variable.name, variable.restored, variable.reason});
      }
      Log(FormatWarmStart(*start.warm_start));
    }
    const Clock::time_point begin = Clock::now();
    RK_ASSIGN_OR_RETURN(const Logs logs,
                        trainer.Evaluate(config_->trainer.validation_steps));
    start.metrics["eval_seconds"] = absl::ToDoubleSeconds(TimeSince(begin));
    for (const char* name : {"validation_loss", "accuracy", "mae"}) {
      const auto found = logs.find(name);
      if (found == logs.end()) continue;
      AddMetrics({*found}, "first_eval_", &start.metrics);
    }
    Log(absl::StrCat("before training: ", InShort(logs)));
    return WriteRunStart(start, input_.model_run_dir);
  }

  NextStep BeforeStep(int64_t step) {
    const absl::Time now = environment_.now();
    const Clock::time_point last = std::exchange(stepped_, Clock::now());
    if (step > first_step_) {
      budget_.MeasuredStep(absl::FromChrono(stepped_ - last));
      progress_file_.Tell(step, total_steps(), now);
    }
    if (environment_.stop_signal() != 0) return NextStep::kStop;
    if (!budget_.IsUsedUp(now)) return NextStep::kGoOn;
    // There is no model worth an evaluation yet.
    if (step == 0) return NextStep::kStop;
    Log(absl::StrFormat(
        "stopped at step %d of %d: %s are left for evaluation, checkpoint and "
        "export before the deadline %s",
        step, total_steps(), absl::FormatDuration(budget_.Reserve()),
        input_.deadline));
    return NextStep::kEnd;
  }

  absl::Status Finish(RunResult& result) {
    const double seconds = absl::ToDoubleSeconds(TimeSince(started_));
    output_.metrics["train_seconds"] = seconds;
    output_.metrics["steps_per_second"] =
        static_cast<double>(output_.global_step - first_step_) / seconds;
    AddMetrics(result.logs, "", &output_.metrics);
    progress_file_.TellNow(output_.global_step, total_steps(),
                           environment_.now());
    Log(absl::StrCat("after training: ", InShort(result.logs)));
    RK_RETURN_IF_ERROR(Export(*result.trainer));
    output_.train_complete = output_.global_step >= total_steps();
    return absl::OkStatus();
  }

  absl::Status Export(Trainer& trainer) {
    const std::string& folder = input_.serving_model_dir;
    RK_ASSIGN_OR_RETURN(const NamedTensors values, trainer.ExportValues());
    RK_RETURN_IF_ERROR(ExportModel(trainer.model(), values, folder));
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> examples,
                        FirstExamples(config_->task->validation_data));
    RK_ASSIGN_OR_RETURN(const NamedTensors outputs,
                        trainer.FirstValidationStep());
    const Model& model = trainer.model();
    absl::Status valid =
        ValidateExport(folder, model.TrainedSignature(), examples, outputs);
    if (!valid.ok()) {
      valid.SetPayload(kReasonPayload, absl::Cord("INVALID_OUTPUT"));
      return valid;
    }
    RK_RETURN_IF_ERROR(model.TrainedSignature() == kServingDefault
                           ? WriteWarmup(examples)
                           : TryServing(model.ServingExamples()));
    Log(absl::StrFormat(
        "exported: %s (loaded again, gives the same answers to %d examples)",
        folder, examples.size()));
    return absl::OkStatus();
  }

  absl::Status WriteWarmup(const std::vector<std::string>& examples) const {
    return WriteWarmupRequests(WarmupOfExamples(examples),
                               input_.serving_model_dir);
  }

  // Asks serving_default about examples that were made up, as there are none of
  // its kind: that it refuses them need not be wrong.
  absl::Status TryServing(const std::vector<std::string>& examples) const {
    RK_ASSIGN_OR_RETURN(
        const std::unique_ptr<Predictor> predictor,
        LoadPredictor(input_.serving_model_dir, kServingDefault));
    const absl::Status asked = predictor->Predict(examples).status();
    if (asked.ok()) return WriteWarmup(examples);
    Log(absl::StrCat(
        "serving_default was not tried, and gets no warm-up requests: there is "
        "no raw example at hand, and it does not take an empty one: ",
        asked.message()));
    return absl::OkStatus();
  }

  absl::Status Stopped() const {
    const int signal = environment_.stop_signal();
    return absl::CancelledError(absl::StrFormat(
        "stopped by %s at step %d of %d; a retry continues from its checkpoint",
        signal == SIGINT ? "SIGINT" : "SIGTERM", output_.global_step,
        total_steps()));
  }

  absl::Status NoTime() const {
    return absl::DeadlineExceededError(absl::StrFormat(
        "the deadline %s leaves no time to train: evaluation, checkpoint and "
        "export need about %s",
        input_.deadline, absl::FormatDuration(budget_.Reserve())));
  }

  void Log(const std::string& line) const {
    *environment_.log << line << (line.ends_with('\n') ? "" : "\n")
                      << std::flush;
  }

  const ExecutorInput& input_;
  const RunEnvironment& environment_;
  ExecutorOutput& output_;
  ProgressFile progress_file_;
  TimeBudget budget_{absl::InfiniteFuture()};
  std::unique_ptr<ExperimentConfig> config_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Task> task_;
  int64_t first_step_ = 0;
  Clock::time_point opened_;
  Clock::time_point started_;
  Clock::time_point stepped_;
};

}  // namespace

absl::Status RunExecutor(const ExecutorInput& input,
                         const RunEnvironment& environment,
                         ExecutorOutput* output) {
  return ExecutorRun(input, environment, output).Run();
}

}  // namespace rekindle
