#include "component/training/trainer_state.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

constexpr char kGlobalStep[] = "global_step";
constexpr char kInputPosition[] = "rekindle/input_position";

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

// The `size` integers saved as `name`.
absl::StatusOr<std::vector<int64_t>> Integers(const NamedTensors& tensors,
                                              const std::string& name,
                                              int64_t size) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.dtype() != tensorflow::DT_INT64 ||
      found->second.NumElements() != size) {
    return OtherModel(absl::StrCat("it has no '", name, "'"));
  }
  const auto flat = found->second.flat<int64_t>();
  return std::vector<int64_t>(flat.data(), flat.data() + size);
}

}  // namespace

void AddTrainerState(const TrainerState& state, NamedTensors* tensors) {
  (*tensors)[kGlobalStep] = Tensor(state.global_step);
  Tensor position(tensorflow::DT_INT64, {2});
  position.flat<int64_t>()(0) = state.input.epoch;
  position.flat<int64_t>()(1) = state.input.examples;
  (*tensors)[kInputPosition] = std::move(position);
}

absl::StatusOr<TrainerState> ReadTrainerState(
    const NamedTensors& tensors, const std::vector<VariableSpec>& variables) {
  for (const VariableSpec& variable : variables) {
    RK_RETURN_IF_ERROR(CheckVariable(variable, tensors));
  }
  RK_ASSIGN_OR_RETURN(const auto step, Integers(tensors, kGlobalStep, 1));
  RK_ASSIGN_OR_RETURN(const auto position,
                      Integers(tensors, kInputPosition, 2));
  return TrainerState{.global_step = step[0],
                      .input = {.epoch = position[0], .examples = position[1]}};
}

}  // namespace rekindle
