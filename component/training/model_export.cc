#include "component/training/model_export.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/saved_model_writer.h"
#include "component/io/variable_axes.h"
#include "component/training/predictor.h"
#include "rekindle/training/serving_graph.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/saved_model/constants.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

constexpr float kTolerance = 1e-5f;

absl::Status CheckFinite(const std::string& name, const Tensor& answer) {
  if (answer.dtype() != tensorflow::DT_FLOAT) return absl::OkStatus();
  const auto flat = answer.flat<float>();
  for (int64_t i = 0; i < flat.size(); ++i) {
    if (std::isfinite(flat(i))) continue;
    return absl::InternalError(
        absl::StrCat("its output '", name, "' has a ", flat(i)));
  }
  return absl::OkStatus();
}

// Compares an answer with the first rows of what training put out.
absl::Status CheckEqual(const std::string& name, const Tensor& answer,
                        const Tensor& trained) {
  const auto actual = answer.flat<float>();
  const auto expected = trained.flat<float>();
  if (actual.size() > expected.size()) {
    return absl::InternalError(absl::StrCat(
        "its output '", name, "' is ", answer.shape().DebugString(), ", ",
        trained.shape().DebugString(), " in training"));
  }
  for (int64_t i = 0; i < actual.size(); ++i) {
    // Relative to large numbers; written so that NaN fails.
    const float scale = std::max(1.0f, std::abs(expected(i)));
    if (std::abs(actual(i) - expected(i)) <= kTolerance * scale) continue;
    return absl::InternalError(absl::StrCat("it gives '", name, "' of ",
                                            actual(i), ", training gave ",
                                            expected(i)));
  }
  return absl::OkStatus();
}

absl::Status Probe(const std::string& folder, const std::string& signature,
                   const std::vector<std::string>& examples,
                   const NamedTensors& outputs) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Predictor> predictor,
                      LoadPredictor(folder, signature));
  RK_ASSIGN_OR_RETURN(const NamedTensors answers, predictor->Predict(examples));
  for (const auto& [name, answer] : answers) {
    RK_RETURN_IF_ERROR(CheckFinite(name, answer));
    const auto trained = outputs.find(name);
    if (trained == outputs.end() || answer.dtype() != tensorflow::DT_FLOAT) {
      continue;
    }
    RK_RETURN_IF_ERROR(CheckEqual(name, answer, trained->second));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExportModel(const Model& model, const NamedTensors& values,
                         const std::string& folder) {
  ServingGraph graph(tensorflow::Scope::NewRootScope());
  SavedModelContents contents{
      .scope = graph.scope(), .variables = {}, .signatures = {}};
  for (const VariableSpec& spec : model.variables()) {
    graph.AddVariable(spec);
    contents.variables[spec.name] = {.handle = graph.Handle(spec.name),
                                     .value = values.at(spec.name),
                                     .trainable = spec.trainable};
  }
  contents.signatures = model.Signatures(graph);
  if (contents.signatures.empty() && graph.scope().ok()) {
    return absl::FailedPreconditionError(
        "the model has no signatures, so it cannot be exported; its class "
        "gives none in Signatures");
  }
  for (const auto& [name, fixed] : graph.fixed_variables()) {
    contents.variables[name] = {
        .handle = fixed.handle, .value = fixed.value, .trainable = false};
  }
  contents.assets = graph.assets();
  contents.initializers = graph.initializers();
  RK_RETURN_IF_ERROR(WriteVariableAxes(model.axes(), folder));
  return WriteSavedModel(contents, folder);
}

absl::Status ValidateExport(const std::string& folder,
                            const std::string& signature,
                            const std::vector<std::string>& examples,
                            const NamedTensors& outputs) {
  const absl::Status probed = Probe(folder, signature, examples, outputs);
  if (probed.ok()) return probed;
  std::error_code ignored;  // The error below is the one to tell.
  std::filesystem::remove(
      absl::StrCat(folder, "/", tensorflow::kSavedModelFilenamePb), ignored);
  return absl::InternalError(
      absl::StrCat("the exported model in '", folder,
                   "' is not what was trained: ", probed.message()));
}

}  // namespace rekindle
