#include "component/training/experiment_command.h"

#include <cstdint>
#include <memory>
#include <ostream>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
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

}  // namespace

absl::Status RunExperimentCommand(const ExperimentCommand& command) {
  RegisterTabularExperiments();
  RK_ASSIGN_OR_RETURN(const auto config, ResolveExperiment(command.options));
  const auto should_stop = [&command] { return command.stop_signal() != 0; };
  RK_ASSIGN_OR_RETURN(const auto strategy,
                      MakeStrategy(config->runtime, command.tf_config,
                                   {.worker_timeout = command.worker_timeout,
                                    .should_stop = should_stop,
                                    .log = command.out}));
  *command.out << strategy->Description() << "\n" << std::flush;
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Task> task,
                      MakeTask(*config->task, {.logging_dir = command.model_dir,
                                               .seed = config->runtime.seed}));
  for (const std::string& note : task->Notes()) *command.out << note << "\n";
  if (strategy->is_chief()) {
    RK_RETURN_IF_ERROR(MakeFolder(command.model_dir));
    RK_RETURN_IF_ERROR(SaveParams(*config, command.model_dir));
  }
  RK_ASSIGN_OR_RETURN(
      const RunResult result,
      RunExperiment(*strategy, *task, command.mode, *config, command.model_dir,
                    {.before_step = [&](int64_t) { return !should_stop(); },
                     .log = command.out}));
  if (should_stop()) {
    return absl::CancelledError(
        absl::StrCat("stopped at step ", result.trainer->global_step(), " of ",
                     config->trainer.train_steps,
                     "; the same command continues from its checkpoint"));
  }
  if (!command.export_dir.empty() && strategy->is_chief()) {
    RK_RETURN_IF_ERROR(
        Export(*result.trainer, command.export_dir, *command.out));
  }
  return strategy->Finish();
}

}  // namespace rekindle
