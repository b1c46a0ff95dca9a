#include "component/evaluation/evaluation_run.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/evaluation/example_fields.h"
#include "component/evaluation/label_classes.h"
#include "component/evaluation/model_under_test.h"
#include "component/evaluation/slicer.h"
#include "component/io/file_pattern.h"
#include "component/records/tfrecord_reader.h"
#include "component/training/predictor.h"
#include "tensorflow/c/c_api.h"

namespace rekindle {
namespace {

constexpr size_t kBatchSize = 1024;

// "did you mean 'island'?", if one of the features is like `name`.
std::string Suggestion(const std::string& name, const ExampleFields& fields) {
  const std::vector<std::string> seen(fields.seen().begin(),
                                      fields.seen().end());
  const std::optional<std::string> nearest = NearestName(name, seen);
  return nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                             : "";
}

class EvaluationRun {
 public:
  EvaluationRun(const EvaluationInput& input,
                const EvaluationEnvironment& environment,
                EvaluationOutput* output)
      : input_(input),
        environment_(environment),
        output_(*output),
        slice_features_(SliceFeatures(input.slices)),
        fields_(FieldNames(input, slice_features_)) {}

  absl::Status Run() {
    output_.environment["tensorflow_version"] = TF_Version();
    RK_RETURN_IF_ERROR(LoadModels());
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                        ExpandPatterns(input_.examples));
    for (const std::string& file : files) {
      RK_RETURN_IF_ERROR(ReadExamples(file));
    }
    RK_RETURN_IF_ERROR(Measure());
    RK_RETURN_IF_ERROR(CheckWhatWasSeen());
    for (const auto& model : models_) output_.models.push_back(model->Report());
    *environment_.log << "measured " << models_.size() << " model(s) over "
                      << examples_ << " examples\n"
                      << std::flush;
    return absl::OkStatus();
  }

 private:
  static std::set<std::string> FieldNames(const EvaluationInput& input,
                                          std::set<std::string> names) {
    names.insert(input.label_key);
    return names;
  }

  absl::Status LoadModels() {
    RK_ASSIGN_OR_RETURN(const std::vector<std::string> classes,
                        SchemaClasses(input_.schema_path, input_.label_key));
    for (const EvaluatedModel& model : input_.models) {
      RK_ASSIGN_OR_RETURN(std::unique_ptr<Predictor> predictor,
                          LoadPredictor(model.folder, input_.signature));
      models_.push_back(std::make_unique<ModelUnderTest>(
          input_, model.name, std::move(predictor), classes));
    }
    return absl::OkStatus();
  }

  absl::Status ReadExamples(const std::string& file) {
    RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(file));
    while (true) {
      RK_ASSIGN_OR_RETURN(const auto record, reader->Next());
      if (!record.has_value()) return absl::OkStatus();
      RK_RETURN_IF_ERROR(Add(*record));
      if (batch_.records.size() == kBatchSize) RK_RETURN_IF_ERROR(Measure());
    }
  }

  absl::Status Add(absl::string_view record) {
    RK_RETURN_IF_ERROR(fields_.Read(record));
    const std::vector<FeatureValue>& labels = fields_.Values(input_.label_key);
    if (labels.size() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "example ", examples_ + 1, " has ", labels.size(),
          " values of the label '", input_.label_key, "', expected one",
          labels.empty() ? Suggestion(input_.label_key, fields_) : ""));
    }
    batch_.records.emplace_back(record);
    batch_.labels.push_back(labels.front());
    batch_.slices.push_back(SlicesOf(input_.slices, fields_));
    ++examples_;
    return absl::OkStatus();
  }

  absl::Status Measure() {
    if (batch_.records.empty()) return absl::OkStatus();
    if (environment_.stop_signal() != 0) {
      return absl::CancelledError(
          absl::StrCat("stopped after ", examples_, " examples"));
    }
    for (const auto& model : models_) RK_RETURN_IF_ERROR(model->Add(batch_));
    batch_ = {};
    return absl::OkStatus();
  }

  absl::Status CheckWhatWasSeen() const {
    if (examples_ == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("there are no examples in ", input_.examples.front(),
                       ": nothing can be measured"));
    }
    for (const std::string& feature : slice_features_) {
      if (fields_.seen().contains(feature)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("no example has a feature '", feature, "' to slice by",
                       Suggestion(feature, fields_)));
    }
    return absl::OkStatus();
  }

  const EvaluationInput& input_;
  const EvaluationEnvironment& environment_;
  EvaluationOutput& output_;
  const std::set<std::string> slice_features_;
  ExampleFields fields_;
  std::vector<std::unique_ptr<ModelUnderTest>> models_;
  ExampleBatch batch_;
  int64_t examples_ = 0;
};

}  // namespace

absl::Status RunEvaluation(const EvaluationInput& input,
                           const EvaluationEnvironment& environment,
                           EvaluationOutput* output) {
  return EvaluationRun(input, environment, output).Run();
}

}  // namespace rekindle
