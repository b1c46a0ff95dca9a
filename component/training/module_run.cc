#include "component/training/module_run.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/modules/make_fn_args.h"
#include "component/training/model_probe.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/saved_model/constants.h"

namespace rekindle {
namespace {

absl::Status TryModel(const Module& module, const ExecutorInput& input) {
  const std::string& folder = input.serving_model_dir;
  if (!std::filesystem::exists(
          absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb))) {
    return absl::NotFoundError(absl::StrCat("run_fn of '", module.path(),
                                            "' ended well, but left no "
                                            "SavedModel in '",
                                            folder, "'"));
  }
  const absl::Status probed = ProbeModel(folder, input.eval_files.front(),
                                         input.transform_graph_path.empty()
                                             ? ExampleForm::kServed
                                             : ExampleForm::kTransformed);
  if (probed.ok()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "run_fn of '", module.path(),
      "' ended well, but its model cannot be served: ", probed.message()));
}

}  // namespace

absl::Status RunModule(const Module& module, const ExecutorInput& input,
                       const std::function<int()>& stop_signal,
                       ExecutorOutput* output) {
  output->environment["tensorflow_version"] = TF_Version();
  const auto should_stop = [&stop_signal] { return stop_signal() != 0; };
  RK_RETURN_IF_ERROR(module.RunFn(MakeFnArgs(input, should_stop)));
  if (should_stop()) {
    return absl::CancelledError(
        absl::StrCat("stopped while run_fn of '", module.path(), "' ran"));
  }
  RK_RETURN_IF_ERROR(TryModel(module, input));
  output->train_complete = true;
  return absl::OkStatus();
}

}  // namespace rekindle
