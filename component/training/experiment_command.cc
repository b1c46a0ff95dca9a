#include "component/training/experiment_command.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <unistd.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "component/io/progress_display.h"
#include "component/tasks/tabular_experiments.h"
#include "component/training/model_export.h"
#include "rekindle/training/run_experiment.h"
#include "rekindle/training/strategy.h"
#include "rekindle/training/task_registry.h"

namespace rekindle {
namespace {

absl::Status Export(Trainer& trainer, const std::string& folder,
                    std::ostream& out) {
  RK_ASSIGN_OR_RETURN(const NamedTensors values, trainer.ExportValues());
  RK_RETURN_IF_ERROR(MakeFolder(folder));
  RK_RETURN_IF_ERROR(ExportModel(trainer.model(), values, folder));
  out << "exported: " << folder << "\n" << std::flush;
  return absl::OkStatus();
}

// Shows a run to a person while it lasts: a bar on a terminal, lines elsewhere.
class Display {
 public:
  Display(const ExperimentCommand& command, const ExperimentConfig& config)
      : out_(*command.out),
        is_terminal_(command.is_terminal),
        batch_(config.task->train_data.global_batch_size),
        progress_{.total_steps = config.trainer.train_steps},
        bar_({.out = command.out,
              .is_terminal = command.is_terminal,
              .columns = [] { return TerminalColumns(STDOUT_FILENO); }}) {}

  void Print(absl::string_view line) {
    if (is_terminal_) {
      bar_.Print(line);
    } else {
      out_ << line << "\n" << std::flush;
    }
  }

  void BeforeStep(int64_t step) {
    if (!is_terminal_) return;
    progress_.step = step;
    progress_.examples += batch_;
    bar_.Update(progress_);
  }

  absl::Status AfterLoop(const Logs& logs) {
    const auto loss = logs.find("training_loss");
    if (loss != logs.end()) progress_.loss = loss->second;
    return absl::OkStatus();
  }

  void Finish() { bar_.Finish(); }

 private:
  std::ostream& out_;
  const bool is_terminal_;
  const int64_t batch_;
  TrainingProgress progress_;
  ProgressDisplay bar_;
};

absl::StatusOr<RunResult> Run(const ExperimentCommand& command,
                              const ExperimentConfig& config,
                              const Strategy& strategy, Task& task,
                              Display& display) {
  return RunExperiment(
      strategy, task, command.mode, config, command.model_dir,
      {.train_actions = {[&](const Logs& logs) {
         return display.AfterLoop(logs);
       }},
       .before_step =
           [&](int64_t step) {
             display.BeforeStep(step);
             return command.stop_signal() == 0 ? NextStep::kGoOn
                                               : NextStep::kStop;
           },
       .log = [&](absl::string_view line) { display.Print(line); }});
}

}  // namespace

absl::Status RunExperimentCommand(const ExperimentCommand& command) {
  RegisterTabularExperiments();
  RK_ASSIGN_OR_RETURN(const auto config, ResolveExperiment(command.options));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Task> task,
                      MakeTask(*config->task, {.logging_dir = command.model_dir,
                                               .seed = config->runtime.seed}));
  RK_ASSIGN_OR_RETURN(
      const auto strategy,
      MakeStrategy(
          config->runtime, command.tf_config,
          {.worker_timeout = command.worker_timeout,
           .should_stop = [&command] { return command.stop_signal() != 0; },
           .log = command.out,
           .require_gpu = command.require_gpu}));
  Display display(command, *config);
  display.Print(strategy->Description());
  for (const std::string& note : task->Notes()) display.Print(note);
  if (strategy->is_chief()) {
    RK_RETURN_IF_ERROR(MakeFolder(command.model_dir));
    RK_RETURN_IF_ERROR(SaveParams(*config, command.model_dir));
  }
  const absl::StatusOr<RunResult> result =
      Run(command, *config, *strategy, *task, display);
  display.Finish();
  RK_RETURN_IF_ERROR(result.status());
  if (result->stopped) {
    return absl::CancelledError(
        absl::StrCat("stopped at step ", result->trainer->global_step(), " of ",
                     config->trainer.train_steps,
                     "; the same command continues from its checkpoint"));
  }
  if (!command.export_dir.empty() && strategy->is_chief()) {
    RK_RETURN_IF_ERROR(
        Export(*result->trainer, command.export_dir, *command.out));
  }
  return strategy->Finish();
}

}  // namespace rekindle
