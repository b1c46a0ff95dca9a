#include "component/steps/resolve.h"

#include <utility>

#include "absl/status/status.h"
#include "component/launch/tfx_names.h"

namespace rekindle {
namespace {

// What it finds is put out before it comes to this.
class Resolver : public Executor {
 public:
  absl::StatusOr<StepResult> Execute(const StepContext& /*context*/) override {
    return StepResult{};
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeResolve(
    std::vector<InputSpec> inputs, StepSpec& spec) {
  if (inputs.empty()) {
    return absl::InvalidArgumentError(
        "--input is missing; it says what to find, as "
        "--input=model=Model:latest-blessed");
  }
  spec.execution_type = ResolverType();
  spec.inputs = std::move(inputs);
  spec.puts_out_inputs = true;
  return std::make_unique<Resolver>();
}

}  // namespace rekindle
