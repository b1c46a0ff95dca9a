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
#include "absl/strings/cord.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "component/training/flags.h"
#include "component/training/model_probe.h"
#include "component/training/predictor.h"
#include "component/training/stop_signal.h"
#include "component/training/trainer.h"

namespace rekindle {
namespace {

constexpr char kHelp[] =
    R"(Usage: rekindle-trainer --executor_input=FILE
       rekindle-trainer --mode=predict|validate --saved_model=DIR --examples=PATTERN

Trains a tabular classifier on TensorFlow as an executor input says, or prints
what a SavedModel answers to examples, or tries whether one can be served: it loads,
and its answers are finite numbers.

  --executor_input=FILE  JSON that says what to train on and where to write
  --mode=train|predict|validate  what to do (default: train)
  --saved_model=DIR      the model to ask, a folder with saved_model.pb
  --examples=PATTERN     what to ask: TFRecord files of tf.Examples, plain or gzip
  --signature=NAME       predict: what to ask (default: serving_default)
  --help, --version

Examples:
  rekindle-trainer --executor_input=/tmp/step/executor_input.json
  rekindle-trainer --mode=predict --saved_model=model/Format-Serving \
      --examples='examples/Split-eval/*'

Exit status: 0 done, 1 failed (the executor output says why), 2 wrong usage,
130 or 143 stopped by SIGINT or SIGTERM after writing a checkpoint.
)";

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
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
  const std::optional<absl::Cord> reason = status.GetPayload(kReasonPayload);
  output.error =
      ExecutorError{.code = static_cast<int>(status.code()),
                    .message = OneLine(status.message()),
                    .reason = reason.has_value() ? std::string(*reason) : ""};
  return output;
}

int Train(const std::string& input_path) {
  const absl::StatusOr<ExecutorInput> input = ReadExecutorInput(input_path);
  if (!input.ok()) return Report(input.status(), kExitFailed);
  ClassifierRun trainer(*input, {.stop_signal = StopSignal, .log = &std::cout});
  const absl::Status trained = trainer.Run();
  const absl::Status written = WriteExecutorOutput(
      trained.ok() ? trainer.output() : WithError(trainer.output(), trained),
      input->output_path);
  if (absl::IsCancelled(trained)) {
    return Report(trained, kExitSignalBase + StopSignal());
  }
  if (!trained.ok()) return Report(trained, kExitFailed);
  return written.ok() ? 0 : Report(written, kExitFailed);
}

absl::Status Predict(const Flags& flags, const std::string& signature) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Predictor> predictor,
                      LoadPredictor(flags.at("saved_model"), signature));
  return PredictFiles(flags.at("examples"), *predictor, std::cout);
}

absl::Status RequireFlags(const Flags& flags,
                          const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (flags.contains(name)) continue;
    return absl::InvalidArgumentError("flag '--" + name +
                                      "' is missing; try --help");
  }
  return absl::OkStatus();
}

int RunPredict(const Flags& flags) {
  const absl::Status usage = RequireFlags(flags, {"saved_model", "examples"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  const auto signature = flags.find("signature");
  const absl::Status predicted = Predict(
      flags, signature == flags.end() ? "serving_default" : signature->second);
  return predicted.ok() ? 0 : Report(predicted, kExitFailed);
}

int RunValidate(const Flags& flags) {
  const absl::Status usage = RequireFlags(flags, {"saved_model", "examples"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  const absl::Status probed =
      ProbeModel(flags.at("saved_model"), flags.at("examples"));
  return probed.ok() ? 0 : Report(probed, kExitFailed);
}

int RunTrain(const Flags& flags) {
  const absl::Status usage = RequireFlags(flags, {"executor_input"});
  if (!usage.ok()) return Report(usage, kExitUsage);
  CatchStopSignals();
  return Train(flags.at("executor_input"));
}

int Main(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Flags> flags = ParseFlags(
      arguments,
      {"mode", "executor_input", "saved_model", "examples", "signature"},
      {"help", "version"});
  if (!flags.ok()) return Report(flags.status(), kExitUsage);
  if (flags->contains("help")) {
    std::cout << kHelp;
    return 0;
  }
  if (flags->contains("version")) {
    std::cout << "rekindle-trainer " << REKINDLE_VERSION << "\n";
    return 0;
  }
  const auto mode = flags->find("mode");
  if (mode == flags->end() || mode->second == "train") return RunTrain(*flags);
  if (mode->second == "predict") return RunPredict(*flags);
  if (mode->second == "validate") return RunValidate(*flags);
  return Report(
      absl::InvalidArgumentError("--mode is '" + mode->second +
                                 "', expected train, predict or validate"),
      kExitUsage);
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  // TensorFlow's own log is for its developers; set its variable to see it.
  if (std::getenv("TF_CPP_MIN_LOG_LEVEL") == nullptr) {
    absl::SetMinLogLevel(absl::LogSeverityAtLeast::kFatal);
  }
  const int exit_code =
      rekindle::Main(std::vector<std::string>(argv + 1, argv + argc));
  // TensorFlow's threads and globals are not worth waiting for.
  std::cout << std::flush;
  _exit(exit_code);
}
