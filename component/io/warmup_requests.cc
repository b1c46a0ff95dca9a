#include "component/io/warmup_requests.h"

#include <cstddef>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/durable_file.h"
#include "component/io/string_tensor.h"
#include "component/records/tfrecord_writer.h"
#include "rekindle/serving/warmup.pb.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/framework/tensor.pb.h"

namespace rekindle {
namespace {

constexpr size_t kMostRequests = 1000;  // that TensorFlow Serving reads

serving::PredictionLog LogOf(const WarmupRequest& warmup) {
  serving::PredictionLog log;
  auto* request = log.mutable_predict_log()->mutable_request();
  request->mutable_model_spec()->set_signature_name(warmup.signature);
  for (const auto& [name, tensor] : warmup.inputs) {
    tensorflow::TensorProto proto;
    tensor.AsProtoField(&proto);
    (*request->mutable_inputs())[name] = proto.SerializeAsString();
  }
  return log;
}

}  // namespace

absl::Status WriteWarmupRequests(const std::vector<WarmupRequest>& requests,
                                 const std::string& saved_model) {
  if (requests.size() > kMostRequests) {
    return absl::InvalidArgumentError(
        absl::StrCat(requests.size(), " warm-up requests were given, expected ",
                     kMostRequests, " at most"));
  }
  const std::string folder = absl::StrCat(
      saved_model, "/", tensorflow::kSavedModelAssetsExtraDirectory);
  RK_RETURN_IF_ERROR(MakeFolder(folder));
  const std::string path = absl::StrCat(folder, "/tf_serving_warmup_requests");
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<TfRecordWriter> writer,
                      OpenTfRecordWriter(path, TfRecordCompression::kNone));
  for (const WarmupRequest& request : requests) {
    RK_RETURN_IF_ERROR(writer->Write(LogOf(request).SerializeAsString()));
  }
  RK_RETURN_IF_ERROR(writer->Close());
  return SyncFile(path);
}

std::vector<WarmupRequest> WarmupOfExamples(
    const std::vector<std::string>& examples) {
  std::vector<WarmupRequest> requests;
  if (examples.empty()) return requests;
  requests.push_back({.inputs = {{"examples", StringTensor({examples[0]})}}});
  if (examples.size() == 1) return requests;
  requests.push_back({.inputs = {{"examples", StringTensor(examples)}}});
  return requests;
}

}  // namespace rekindle
