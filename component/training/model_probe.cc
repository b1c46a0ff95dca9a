#include "component/training/model_probe.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/file_pattern.h"
#include "component/io/tensor_bundle.h"
#include "component/records/tfrecord_reader.h"
#include "component/training/predictor.h"
#include "rekindle/training/signature.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

constexpr size_t kExamples = 16;

absl::StatusOr<std::vector<std::string>> FirstExamples(
    const std::string& pattern) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ExpandPatterns({pattern}));
  std::vector<std::string> examples;
  for (const std::string& file : files) {
    RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(file));
    while (examples.size() < kExamples) {
      RK_ASSIGN_OR_RETURN(const auto record, reader->Next());
      if (!record.has_value()) break;
      examples.emplace_back(*record);
    }
  }
  return examples;
}

absl::Status CheckFinite(const std::string& name,
                         const tensorflow::Tensor& answer) {
  if (answer.dtype() != tensorflow::DT_FLOAT) return absl::OkStatus();
  const auto values = answer.flat<float>();
  for (int64_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values(i))) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the model answers ", values(i), " under '", name,
                     "'; a model must answer finite numbers"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ProbeModel(const std::string& folder, const std::string& pattern,
                        ExampleForm form) {
  absl::StatusOr<std::unique_ptr<Predictor>> model =
      LoadPredictor(folder, kServingDefault);
  if (absl::IsInvalidArgument(model.status())) return absl::OkStatus();
  RK_RETURN_IF_ERROR(model.status());
  if (form == ExampleForm::kTransformed) {
    model = LoadPredictor(folder, kServingTransformed);
    if (absl::IsNotFound(model.status())) return absl::OkStatus();
    RK_RETURN_IF_ERROR(model.status());
  }
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> examples,
                      FirstExamples(pattern));
  RK_ASSIGN_OR_RETURN(const NamedTensors answers, (*model)->Predict(examples));
  for (const auto& [name, answer] : answers) {
    RK_RETURN_IF_ERROR(CheckFinite(name, answer));
  }
  return absl::OkStatus();
}

}  // namespace rekindle
