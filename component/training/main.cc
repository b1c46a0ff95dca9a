// rekindle-trainer: trains a model as an executor input says, or asks a
// trained one. It never opens the metadata store.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/contract/evaluation_input.h"
#include "component/contract/evaluation_output.h"
#include "component/contract/executor_error.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/evaluation/evaluation_run.h"
#include "component/modules/module_loader.h"
#include "component/strategies/found_devices.h"
#include "component/strategies/tf_config.h"
#include "component/tasks/tabular_experiments.h"
#include "component/training/executor_run.h"
#include "component/training/experiment_command.h"
#include "component/training/flags.h"
#include "component/training/model_probe.h"
#include "component/training/module_run.h"
#include "component/training/predictor.h"
#include "component/training/stop_signal.h"
#include "component/training/workers_command.h"
#include "rekindle/training/experiment.h"

namespace rekindle {
namespace {

constexpr char kHelp[] =
    R"(Usage: rekindle-trainer --experiment=NAME --model_dir=DIR [--mode=MODE]
       rekindle-trainer --executor_input=FILE [--mode=evaluate]
       rekindle-trainer --mode=predict|validate --saved_model=DIR --examples=PATTERN

Trains on TensorFlow: an experiment, without any store; or as an executor input
says, for `rekindle train`. Or measures models, for `rekindle evaluate`, prints what a SavedModel answers to examples, or
tries whether one can be served: it loads, and its answers are finite numbers.

  --experiment=NAME      what to train; `--experiment=help` lists them
  --model_dir=DIR        gets checkpoints, summaries and params.yaml; what is
                         there already is continued
  --mode=MODE            train, eval, train_and_eval, continuous_eval,
                         train_and_post_eval, evaluate, predict or validate
                         (default: train)
  --config_file=FILE     YAML over the experiment's settings; may be repeated
  --params_override=X    settings over those: "trainer.train_steps=100,...",
                         YAML, or a YAML file; may be repeated
  --export_dir=DIR       write the trained model there as a SavedModel
  --workers=N            train in N processes on this machine, which share each
                         batch; on several machines, set TF_CONFIG instead
  --worker_restarts=N    start all of them again when one is lost, at most so
                         often (default: 3)
  --worker_timeout=SECONDS  how long a worker waits for the others (default: 300)
  --module_file=FILE.so  load this C++ module first: its experiments can be named,
                         and its run_fn trains as an executor input says
  --executor_input=FILE  JSON that says what to train on, or to evaluate, and
                         where to write
  --saved_model=DIR      the model to ask, a folder with saved_model.pb
  --examples=PATTERN     what to ask: TFRecord files of tf.Examples, plain or gzip
  --signature=NAME       predict: what to ask (default: serving_default)
  --require_gpu          refuse to train on the CPU; without runtime.num_gpus all
                         GPUs are used. REKINDLE_REQUIRE_GPU=1 does the same for
                         an experiment
  --transformed          validate: the examples are what a transform graph made of
                         those that the model serves
  --help, --version

Examples:
  rekindle-trainer --experiment=penguin/local --model_dir=/tmp/penguin --mode=train_and_eval
  rekindle-trainer --mode=predict --saved_model=model/Format-Serving \
      --examples='examples/Split-eval/*'

Exit status: 0 done, 1 failed (the executor output says why), 2 wrong usage,
75 a worker is gone and a retry may help, 130 or 143 stopped by SIGINT or
SIGTERM after writing a checkpoint.
)";

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitTryAgain = 75;
constexpr int kExitSignalBase = 128;

// TensorFlow ends its messages with lines about nodes of its graph.
std::string OneLine(absl::string_view message) {
  return absl::StrReplaceAll(message, {{"\n", " "}, {"\t", " "}});
}

int Report(const absl::Status& status, int exit_code) {
  std::cerr << "rekindle-trainer: " << OneLine(status.message()) << "\n";
  return exit_code;
}

ExecutorOutput WithError(ExecutorOutput output, const absl::Status& status) {
  output.error = MakeExecutorError(status);
  return output;
}

std::string TfConfig() {
  const char* value = std::getenv("TF_CONFIG");
  return value == nullptr ? "" : value;
}

// Only the chief of several workers answers for the step.
bool IsChief() {
  const absl::StatusOr<Cluster> cluster = ParseTfConfig(TfConfig());
  return !cluster.ok() || cluster->worker == 0;
}

int ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return 0;
  if (absl::IsCancelled(status)) return kExitSignalBase + StopSignal();
  return absl::IsUnavailable(status) ? kExitTryAgain : kExitFailed;
}

int Done(const absl::Status& status) {
  return status.ok() ? 0 : Report(status, ExitCodeOf(status));
}

absl::StatusOr<std::optional<Module>> LoadNamedModule(const Flags& flags) {
  if (!flags.Has("module_file")) return std::nullopt;
  absl::StatusOr<Module> module = LoadModule(flags.Get("module_file"));
  if (module.ok()) return *std::move(module);
  return WithReasonWord("MODULE_UNUSABLE", module.status());
}

// Says what there is to train on, and refuses what is not enough.
absl::Status LookAtDevices(bool require_gpu) {
  const FoundDevices found = FindDevices();
  std::cout << DevicesLine(found) << "\n" << std::flush;
  return require_gpu ? CheckHasGpu(found) : absl::OkStatus();
}

absl::Status TrainAs(const ExecutorInput& input, const Flags& flags,
                     ExecutorOutput* output) {
  const bool require_gpu = flags.Has("require_gpu");
  RK_RETURN_IF_ERROR(LookAtDevices(require_gpu));
  RK_ASSIGN_OR_RETURN(const std::optional<Module> module,
                      LoadNamedModule(flags));
  if (module.has_value() && module->has_run_fn()) {
    return RunModule(*module, input, StopSignal, output);
  }
  RK_ASSIGN_OR_RETURN(const absl::Duration worker_timeout,
                      WorkerTimeout(flags));
  return RunExecutor(input,
                     {.stop_signal = StopSignal,
                      .log = &std::cout,
                      .tf_config = TfConfig(),
                      .worker_timeout = worker_timeout,
                      .require_gpu = require_gpu},
                     output);
}

int TrainStep(const Flags& flags) {
  const absl::StatusOr<ExecutorInput> input =
      ReadExecutorInput(flags.Get("executor_input"));
  if (!input.ok()) return Report(input.status(), kExitFailed);
  ExecutorOutput output;
  const absl::Status trained = TrainAs(*input, flags, &output);
  if (!IsChief()) return Done(trained);
  const absl::Status written = WriteExecutorOutput(
      trained.ok() ? output : WithError(output, trained), input->output_path);
  return Done(trained.ok() ? written : trained);
}

// An image for GPUs sets the variable; a step is told by the flag.
absl::StatusOr<bool> RequiresGpu(const Flags& flags) {
  if (flags.Has("require_gpu")) return true;
  const char* variable = std::getenv("REKINDLE_REQUIRE_GPU");
  bool required = false;
  if (variable == nullptr || absl::SimpleAtob(variable, &required)) {
    return required;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "REKINDLE_REQUIRE_GPU is '", variable, "', expected true or false"));
}

int TrainExperiment(const Flags& flags) {
  const auto module = LoadNamedModule(flags);
  if (!module.ok()) return Report(module.status(), kExitFailed);
  if (flags.Get("experiment") == "help") {
    RegisterTabularExperiments();
    for (const std::string& name : ExperimentNames()) {
      std::cout << name << "\n";
    }
    return 0;
  }
  const absl::Status usage = flags.Require({"experiment", "model_dir"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  const absl::StatusOr<absl::Duration> worker_timeout = WorkerTimeout(flags);
  if (!worker_timeout.ok()) return Report(worker_timeout.status(), kExitUsage);
  const absl::StatusOr<bool> require_gpu = RequiresGpu(flags);
  if (!require_gpu.ok()) return Report(require_gpu.status(), kExitUsage);
  const absl::Status devices = LookAtDevices(*require_gpu);
  if (!devices.ok()) return Done(devices);
  return Done(RunExperimentCommand(
      {.options = {.experiment = flags.Get("experiment"),
                   .config_files = flags.All("config_file"),
                   .params_override = flags.All("params_override")},
       .mode = flags.Get("mode", "train"),
       .model_dir = flags.Get("model_dir"),
       .export_dir = flags.Get("export_dir"),
       .tf_config = TfConfig(),
       .worker_timeout = *worker_timeout,
       .require_gpu = *require_gpu,
       .stop_signal = StopSignal,
       .out = &std::cout,
       .is_terminal = isatty(STDOUT_FILENO) != 0}));
}

absl::Status Predict(const Flags& flags) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Predictor> predictor,
                      LoadPredictor(flags.Get("saved_model"),
                                    flags.Get("signature", "serving_default")));
  return PredictFiles(flags.Get("examples"), *predictor, std::cout);
}

// Asks a model.
int Ask(const Flags& flags) {
  const absl::Status usage = flags.Require({"saved_model", "examples"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  const absl::Status asked =
      flags.Get("mode") == "predict"
          ? Predict(flags)
          : ProbeModel(flags.Get("saved_model"), flags.Get("examples"),
                       flags.Has("transformed") ? ExampleForm::kTransformed
                                                : ExampleForm::kServed);
  return asked.ok() ? 0 : Report(asked, kExitFailed);
}

// Measures models as an evaluation input says.
int Evaluate(const Flags& flags) {
  const absl::Status usage = flags.Require({"executor_input"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  CatchStopSignals();
  const absl::StatusOr<EvaluationInput> input =
      ReadEvaluationInput(flags.Get("executor_input"));
  if (!input.ok()) return Report(input.status(), kExitFailed);
  EvaluationOutput output;
  const absl::Status measured = RunEvaluation(
      *input, {.stop_signal = StopSignal, .log = &std::cout}, &output);
  if (!measured.ok()) output.error = MakeExecutorError(measured);
  const absl::Status written =
      WriteEvaluationOutput(output, input->output_path);
  return Done(measured.ok() ? written : measured);
}

int TrainInWorkers(const Flags& flags,
                   const std::vector<std::string>& arguments) {
  const absl::StatusOr<int> exit_code =
      RunWorkersCommand(flags, arguments, TfConfig());
  if (exit_code.ok()) return *exit_code;
  return Report(exit_code.status(), absl::IsUnavailable(exit_code.status())
                                        ? kExitTryAgain
                                        : kExitUsage);
}

int Train(const Flags& flags) {
  CatchStopSignals();
  return flags.Has("executor_input") ? TrainStep(flags)
                                     : TrainExperiment(flags);
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Flags> flags = ParseFlags(
      arguments,
      {.valued = {"experiment", "model_dir", "mode", "export_dir",
                  "module_file", "executor_input", "saved_model", "examples",
                  "signature", "workers", "worker_restarts", "worker_timeout"},
       .repeated = {"config_file", "params_override"},
       .switches = {"help", "require_gpu", "transformed", "version"}});
  if (!flags.ok()) return Report(flags.status(), kExitUsage);
  if (flags->Has("help")) {
    std::cout << kHelp;
    return 0;
  }
  if (flags->Has("version")) {
    std::cout << "rekindle-trainer " << REKINDLE_VERSION << "\n";
    return 0;
  }
  if (flags->Has("workers")) return TrainInWorkers(*flags, arguments);
  const std::string mode = flags->Get("mode");
  if (mode == "evaluate") return Evaluate(*flags);
  return mode == "predict" || mode == "validate" ? Ask(*flags) : Train(*flags);
}

}  // namespace
}  // namespace rekindle

namespace {

// TensorFlow's own log is for its developers: it says nothing, or what its
// variable asks for, which the library itself does not look at so early.
void SetTensorFlowLogLevel(int /*argc*/, char** /*argv*/, char** environment) {
  constexpr absl::string_view kVariable = "TF_CPP_MIN_LOG_LEVEL=";
  auto level = absl::LogSeverityAtLeast::kFatal;
  for (; *environment != nullptr; ++environment) {
    absl::string_view value = *environment;
    if (!absl::ConsumePrefix(&value, kVariable)) continue;
    if (value.size() == 1 && value >= "0" && value <= "3") {
      level = static_cast<absl::LogSeverityAtLeast>(value[0] - '0');
    }
  }
  absl::SetMinLogLevel(level);
}

// Called before the initialisers of libraries: TensorFlow's log already.
[[gnu::section(".preinit_array"), gnu::used]] auto* const kBeforeLibraries =
    SetTensorFlowLogLevel;

}  // namespace

int main(int argc, char** argv) {
  const int exit_code =
      rekindle::Main(std::vector<std::string>(argv + 1, argv + argc));
  // TensorFlow's threads and globals are not worth waiting for.
  std::cout << std::flush;
  _exit(exit_code);
}
