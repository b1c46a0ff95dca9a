#include "component/training/module_run.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/contract/executor_error.h"
#include "component/modules/make_fn_args.h"
#include "component/training/model_probe.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/saved_model/constants.h"

namespace rekindle {
namespace {

// What run_fn says is about its own work: it may ask to be tried again, and has
// no other say in what becomes of the step.
absl::Status AsErrorOfModule(const absl::Status& status) {
  const auto code = absl::IsUnavailable(status) ? absl::StatusCode::kUnavailable
                                                : absl::StatusCode::kUnknown;
  return WithReasonWord("MODULE_RAISED", {code, status.message()});
}

absl::Status TryModel(const Module& module, const ExecutorInput& input) {
  const std::string& folder = input.serving_model_dir;
  if (!std::filesystem::exists(
          absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb))) {
    return WithReasonWord(
        "NO_OUTPUT",
        absl::NotFoundError(absl::StrCat(
            "run_fn of '", module.path(),
            "' ended well, but left no SavedModel in '", folder, "'")));
  }
  const absl::Status probed = ProbeModel(folder, input.eval_files.front(),
                                         input.transform_graph_path.empty()
                                             ? ExampleForm::kServed
                                             : ExampleForm::kTransformed);
  if (probed.ok()) return absl::OkStatus();
  return WithReasonWord(
      "INVALID_OUTPUT",
      absl::DataLossError(absl::StrCat(
          "run_fn of '", module.path(),
          "' ended well, but its model cannot be served: ", probed.message())));
}

}  // namespace

absl::Status RunModule(const Module& module, const ExecutorInput& input,
                       const std::function<int()>& stop_signal,
                       ExecutorOutput* output) {
  output->environment["tensorflow_version"] = TF_Version();
  const auto should_stop = [&stop_signal] { return stop_signal() != 0; };
  const absl::Status ran = module.RunFn(MakeFnArgs(input, should_stop));
  if (should_stop()) {
    return absl::CancelledError(
        absl::StrCat("stopped while run_fn of '", module.path(), "' ran"));
  }
  if (!ran.ok()) return AsErrorOfModule(ran);
  RK_RETURN_IF_ERROR(TryModel(module, input));
  output->train_complete = true;
  return absl::OkStatus();
}

}  // namespace rekindle
