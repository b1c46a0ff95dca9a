#include "component/steps/train_child.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_util.h"
#include "component/cache/cache_fields.h"
#include "component/cache/content_digest.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/launch/step_child.h"
#include "component/steps/child_answer.h"
#include "component/steps/interpreter.h"
#include "component/steps/train.h"

namespace rekindle {
namespace {

std::string ModuleRunner(const TrainOptions& options) {
  return JoinPath(options.python_library, "run_module.py");
}

void AddNumber(absl::string_view flag, const std::optional<int>& number,
               std::vector<std::string>& argv) {
  if (!number.has_value()) return;
  argv.push_back(absl::StrCat("--", flag, "=", *number));
}

std::vector<std::string> ProgramOf(const TrainOptions& options) {
  if (!HasPythonModule(options)) return {options.trainer_binary};
  std::vector<std::string> argv = {
      options.python, ModuleRunner(options),
      absl::StrCat("--executor=", options.executor)};
  if (options.skip_validation) argv.push_back("--skip_validation");
  return argv;
}

std::vector<std::string> CommandOf(const TrainOptions& options,
                                   const std::string& input_path) {
  std::vector<std::string> argv = ProgramOf(options);
  argv.push_back(absl::StrCat("--executor_input=", input_path));
  if (!options.module_file.empty()) {
    argv.push_back(absl::StrCat("--module_file=", options.module_file));
  }
  if (options.require_gpu) argv.emplace_back("--require_gpu");
  AddNumber("workers", options.workers, argv);
  AddNumber("worker_restarts", options.worker_restarts, argv);
  return argv;
}

// An interpreter that says nothing of itself cannot run a module either.
CacheFields InterpreterFields(const TrainOptions& options) {
  const absl::StatusOr<Interpreter> interpreter =
      DescribeInterpreter(options.python, options.python_library);
  if (!interpreter.ok()) return {};
  return {{"python.python", interpreter->python},
          {"python.tensorflow", interpreter->tensorflow},
          {"python.packages", interpreter->packages}};
}

CacheFields PythonFields(const TrainOptions& options, WatchedFiles& watched) {
  CacheFields fields = InterpreterFields(options);
  fields["code.python"] = ProgramDigest(options.python, watched);
  fields["code.runner"] = CodeDigest(
      JoinPath(options.python_library, "rekindle_module/__init__.py"), watched);
  fields["python.executor"] = options.executor;
  return fields;
}

}  // namespace

bool HasPythonModule(const TrainOptions& options) {
  return absl::EndsWith(options.module_file, ".py");
}

absl::Status RunTrainChild(const TrainOptions& options,
                           const std::string& input_path,
                           const StepContext& context) {
  const bool python = HasPythonModule(options);
  StepChild child;
  child.name = python ? "the module's process" : "the trainer";
  child.argv = CommandOf(options, input_path);
  if (options.on_line) child.on_line = options.on_line;
  child.grace = options.grace;
  absl::Status ended = RunStepChild(child, context);
  if (ended.ok() || ReasonOf(ended) != FailureReason::kChildCannotStart) {
    return ended;
  }
  return WithNote(ended, python ? kNamesInterpreter : kNamesTrainer);
}

CacheFields TrainCodeFields(const TrainOptions& options,
                            WatchedFiles& watched) {
  // A trainer was built with one TensorFlow; an interpreter says which it has.
  CacheFields fields =
      HasPythonModule(options)
          ? PythonFields(options, watched)
          : CacheFields{{"code.trainer",
                         ProgramDigest(options.trainer_binary, watched)}};
  if (!options.module_file.empty()) {
    fields["code.module"] = CodeDigest(options.module_file, watched);
  }
  return fields;
}

}  // namespace rekindle
