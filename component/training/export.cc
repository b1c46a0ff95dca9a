#include "component/training/export.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/saved_model_writer.h"
#include "component/io/variable_axes.h"
#include "component/training/predictor.h"
#include "tensorflow/cc/saved_model/constants.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

constexpr float kTolerance = 1e-5f;

absl::Status Compare(const Tensor& served, const Tensor& trained) {
  if (served.shape() != trained.shape()) {
    return absl::InternalError(absl::StrCat(
        "it gives scores of shape ", served.shape().DebugString(),
        ", the trained model of shape ", trained.shape().DebugString()));
  }
  const auto actual = served.flat<float>();
  const auto expected = trained.flat<float>();
  for (int64_t i = 0; i < actual.size(); ++i) {
    // Written so that NaN fails.
    if (std::abs(actual(i) - expected(i)) <= kTolerance) continue;
    return absl::InternalError(absl::StrCat("it gives a score of ", actual(i),
                                            " where the trained model gives ",
                                            expected(i)));
  }
  return absl::OkStatus();
}

absl::Status Probe(const std::string& folder,
                   const std::vector<std::string>& examples,
                   const Tensor& scores) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Predictor> predictor,
                      LoadPredictor(folder, "serving_default"));
  RK_ASSIGN_OR_RETURN(const NamedTensors outputs, predictor->Predict(examples));
  return Compare(outputs.at("scores"), scores);
}

}  // namespace

absl::Status ExportModel(const TabularClassifier& model,
                         const NamedTensors& values,
                         const std::string& folder) {
  RK_RETURN_IF_ERROR(WriteVariableAxes(model.axes(), folder));
  return WriteSavedModel(model.ServingModel(values), folder);
}

absl::Status ValidateExport(const std::string& folder,
                            const std::vector<std::string>& examples,
                            const Tensor& scores) {
  absl::Status probed = Probe(folder, examples, scores);
  if (probed.ok()) return probed;
  std::error_code ignored;  // The error below is the one to tell.
  std::filesystem::remove(
      absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb), ignored);
  return absl::InternalError(
      absl::StrCat("the exported model in '", folder,
                   "' is not what was trained: ", probed.message()));
}

}  // namespace rekindle
