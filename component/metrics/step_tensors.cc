#include "component/metrics/step_tensors.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

absl::Status WrongType(const std::string& name, const Tensor& tensor,
                       const std::string& expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the metric reads '", name, "', which is of ",
      tensorflow::DataTypeString(tensor.dtype()), ", expected ", expected));
}

template <typename T>
void Copy(const Tensor& tensor, std::vector<double>* values) {
  const auto flat = tensor.flat<T>();
  values->resize(flat.size());
  std::transform(flat.data(), flat.data() + flat.size(), values->begin(),
                 [](T value) { return static_cast<double>(value); });
}

}  // namespace

absl::StatusOr<const Tensor*> FindTensor(const NamedTensors& step,
                                         const std::string& name) {
  const auto found = step.find(name);
  if (found != step.end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [known, tensor] : step) names.push_back(known);
  const auto nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "the metric reads '", name, "', which the step does not put out",
      nearest ? absl::StrCat("; did you mean '", *nearest, "'?") : ""));
}

absl::StatusOr<absl::Span<const float>> FindFloats(const NamedTensors& step,
                                                   const std::string& name) {
  RK_ASSIGN_OR_RETURN(const Tensor* tensor, FindTensor(step, name));
  if (tensor->dtype() != tensorflow::DT_FLOAT) {
    return WrongType(name, *tensor, "float");
  }
  const auto flat = tensor->flat<float>();
  return absl::MakeConstSpan(flat.data(), flat.size());
}

absl::Status CopyNumbers(const NamedTensors& step, const std::string& name,
                         std::vector<double>* values) {
  RK_ASSIGN_OR_RETURN(const Tensor* tensor, FindTensor(step, name));
  switch (tensor->dtype()) {
    case tensorflow::DT_FLOAT:
      Copy<float>(*tensor, values);
      return absl::OkStatus();
    case tensorflow::DT_INT32:
      Copy<int32_t>(*tensor, values);
      return absl::OkStatus();
    case tensorflow::DT_INT64:
      Copy<int64_t>(*tensor, values);
      return absl::OkStatus();
    default:
      return WrongType(name, *tensor, "float, int32 or int64");
  }
}

}  // namespace rekindle
