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
  const absl::Status probed = ProbeModel(folder, input.eval_files.front());
  if (probed.ok()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "run_fn of '", module.path(),
      "' ended well, but its model cannot be served: ", probed.message()));
}

}  // namespace

absl::Status RunModule(const Module& module, const ExecutorInput& input,
                       ExecutorOutput* output) {
  output->environment["tensorflow_version"] = TF_Version();
  RK_RETURN_IF_ERROR(module.RunFn(MakeFnArgs(input)));
  RK_RETURN_IF_ERROR(TryModel(module, input));
  output->train_complete = true;
  return absl::OkStatus();
}

}  // namespace rekindle
