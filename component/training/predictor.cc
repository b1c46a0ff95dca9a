#include "component/training/predictor.h"

#include <cstdint>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/io/file_pattern.h"
#include "component/io/string_tensor.h"
#include "component/records/tfrecord_reader.h"
#include "component/strategies/session_config.h"
#include "nlohmann/json.hpp"
#include "tensorflow/cc/saved_model/loader.h"

namespace rekindle {
namespace {

using ::tensorflow::SignatureDef;
using ::tensorflow::Tensor;

constexpr size_t kBatchSize = 256;

class SavedModelPredictor final : public Predictor {
 public:
  SavedModelPredictor(std::unique_ptr<tensorflow::SavedModelBundleLite> model,
                      const SignatureDef& signature)
      : model_(std::move(model)),
        input_(signature.inputs().begin()->second.name()) {
    for (const auto& [key, info] : signature.outputs()) {
      keys_.push_back(key);
      tensors_.push_back(info.name());
    }
  }

  absl::StatusOr<NamedTensors> Predict(
      const std::vector<std::string>& examples) override {
    std::vector<Tensor> fetched;
    const absl::Status run = model_->GetSession()->Run(
        {{input_, StringTensor(examples)}}, tensors_, {}, &fetched);
    if (!run.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the model refuses the examples: ", run.message()));
    }
    NamedTensors outputs;
    for (size_t i = 0; i < keys_.size(); ++i) {
      outputs[keys_[i]] = std::move(fetched[i]);
    }
    return outputs;
  }

 private:
  const std::unique_ptr<tensorflow::SavedModelBundleLite> model_;
  const std::string input_;
  std::vector<std::string> keys_;
  std::vector<std::string> tensors_;
};

// For a session that makes few calls to a small model.
tensorflow::SessionOptions FewCallsSessionOptions() {
  tensorflow::SessionOptions options;
  UseOneThread(&options.config);
  KeepGraph(&options.config);
  return options;
}

absl::Status CheckSignature(const std::string& folder, const std::string& name,
                            const SignatureDef& signature) {
  if (signature.inputs_size() == 1 &&
      signature.inputs().begin()->second.dtype() == tensorflow::DT_STRING) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("signature '", name, "' of the model in '", folder,
                   "' does not take serialized tf.Examples"));
}

// One entry of a tensor of rank 0.
nlohmann::json ValueAt(const Tensor& tensor, int64_t index) {
  switch (tensor.dtype()) {
    case tensorflow::DT_FLOAT:
      return tensor.flat<float>()(index);
    case tensorflow::DT_INT64:
      return tensor.flat<int64_t>()(index);
    case tensorflow::DT_STRING:
      return std::string(tensor.flat<tensorflow::tstring>()(index));
    default:
      return tensor.SummarizeValue(1);
  }
}

// Row `row` of a tensor: a value, or a list of what is in the row.
nlohmann::json RowToJson(const Tensor& tensor, int64_t row) {
  if (tensor.dims() == 1) return ValueAt(tensor, row);
  const int64_t width = tensor.NumElements() / tensor.dim_size(0);
  nlohmann::json list = nlohmann::json::array();
  for (int64_t i = 0; i < width; ++i) {
    list.push_back(ValueAt(tensor, row * width + i));
  }
  return list;
}

absl::Status WriteRows(const NamedTensors& outputs, size_t rows,
                       std::ostream& out) {
  for (const auto& [key, tensor] : outputs) {
    if (tensor.dims() >= 1 &&
        tensor.dim_size(0) == static_cast<int64_t>(rows)) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "output '", key, "' of the model has no row for each example"));
  }
  for (size_t row = 0; row < rows; ++row) {
    nlohmann::json line = nlohmann::json::object();
    for (const auto& [key, tensor] : outputs) {
      line[key] = RowToJson(tensor, static_cast<int64_t>(row));
    }
    out << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        << "\n";
  }
  return absl::OkStatus();
}

absl::Status PredictFile(const std::string& path, Predictor& predictor,
                         std::ostream& out) {
  RK_ASSIGN_OR_RETURN(const auto reader, OpenTfRecordReader(path));
  bool more = true;
  while (more) {
    std::vector<std::string> examples;
    while (more && examples.size() < kBatchSize) {
      RK_ASSIGN_OR_RETURN(const auto record, reader->Next());
      more = record.has_value();
      if (more) examples.emplace_back(*record);
    }
    if (examples.empty()) break;
    RK_ASSIGN_OR_RETURN(const NamedTensors outputs,
                        predictor.Predict(examples));
    RK_RETURN_IF_ERROR(WriteRows(outputs, examples.size(), out));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Predictor>> LoadPredictor(
    const std::string& folder, const std::string& signature) {
  if (!tensorflow::MaybeSavedModelDirectory(folder)) {
    return absl::NotFoundError(
        absl::StrCat("there is no SavedModel in '", folder, "'"));
  }
  auto model = std::make_unique<tensorflow::SavedModelBundleLite>();
  const absl::Status loaded = tensorflow::LoadSavedModel(
      FewCallsSessionOptions(), {}, folder, {"serve"}, model.get());
  if (!loaded.ok()) {
    return absl::DataLossError(absl::StrCat(
        "the SavedModel in '", folder, "' does not load: ", loaded.message()));
  }
  const auto found = model->GetSignatures().find(signature);
  if (found == model->GetSignatures().end()) {
    return absl::NotFoundError(absl::StrCat(
        "the SavedModel in '", folder, "' has no signature '", signature, "'"));
  }
  RK_RETURN_IF_ERROR(CheckSignature(folder, signature, found->second));
  const SignatureDef def = found->second;
  return std::make_unique<SavedModelPredictor>(std::move(model), def);
}

absl::Status PredictFiles(const std::string& pattern, Predictor& predictor,
                          std::ostream& out) {
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                      ExpandPatterns({pattern}));
  for (const std::string& file : files) {
    RK_RETURN_IF_ERROR(PredictFile(file, predictor, out));
  }
  return absl::OkStatus();
}

}  // namespace rekindle
