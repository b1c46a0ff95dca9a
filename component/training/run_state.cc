#include "component/training/run_state.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/string_tensor.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

constexpr char kGlobalStep[] = "global_step";
constexpr char kOutput[] = "rekindle/executor_output";

absl::Status OtherModel(const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the checkpoint is of another model: ", why));
}

absl::Status CheckVariable(const VariableSpec& variable,
                           const NamedTensors& tensors) {
  const auto found = tensors.find(variable.name);
  if (found == tensors.end()) {
    return OtherModel(absl::StrCat("it has no '", variable.name, "'"));
  }
  if (found->second.dtype() != tensorflow::DT_FLOAT ||
      found->second.shape() != variable.shape) {
    return OtherModel(absl::StrCat(
        "'", variable.name, "' is ", found->second.shape().DebugString(),
        " there, ", variable.shape.DebugString(), " here"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddRunState(const ExecutorOutput& output, NamedTensors* tensors) {
  (*tensors)[kGlobalStep] = Tensor(output.global_step);
  (*tensors)[kOutput] = StringTensor({ToJson(output).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

absl::StatusOr<ExecutorOutput> RestoreRunState(
    const NamedTensors& tensors, const std::vector<VariableSpec>& variables) {
  for (const VariableSpec& variable : variables) {
    RK_RETURN_IF_ERROR(CheckVariable(variable, tensors));
  }
  const auto state = tensors.find(kOutput);
  if (state == tensors.end() ||
      state->second.dtype() != tensorflow::DT_STRING ||
      state->second.NumElements() != 1) {
    return OtherModel(absl::StrCat("it has no '", kOutput, "'"));
  }
  const std::string text(state->second.flat<tensorflow::tstring>()(0));
  return ExecutorOutputFromJson(
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false));
}

}  // namespace rekindle
