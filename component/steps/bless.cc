#include "component/steps/bless.h"

#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "component/blessing/judge.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/latest_blessed.h"
#include "component/steps/blessing_artifact.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

constexpr char kModelKey[] = "model";
constexpr char kBlessingKey[] = "blessing";

class Bless : public Executor {
 public:
  explicit Bless(BlessOptions options) : options_(std::move(options)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    const Verdict verdict =
        options_.blessed ? Verdict::kBlessed : Verdict::kNotBlessed;
    RK_RETURN_IF_ERROR(
        WriteBlessing(verdict, context.output_dirs.at(kBlessingKey)));
    StepResult result;
    PropertyMap& properties = result.outputs[kBlessingKey].custom_properties;
    properties = BlessingProperties(verdict, options_.reason,
                                    *context.FindInput(kModelKey),
                                    /*baseline=*/nullptr);
    properties["blessed_by"] = StringValue(options_.person);
    if (!options_.blessed) properties[kWithdrawnProperty] = IntValue(1);
    return result;
  }

 private:
  const BlessOptions options_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakeBless(BlessOptions options,
                                                    StepSpec& spec) {
  if (options.reason.empty()) {
    return absl::InvalidArgumentError(
        "--reason is missing; it says why, for whoever looks later");
  }
  spec.execution_type.set_name("rekindle.components.Blesser");
  spec.execution_type.set_base_type(ml_metadata::ExecutionType::EVALUATE);
  spec.inputs = {{kModelKey, "Model", options.model, /*required=*/true,
                  /*single=*/true}};
  spec.outputs = {{kBlessingKey, ModelBlessingType()}};
  spec.parameters = {{"blessed", IntValue(options.blessed ? 1 : 0)},
                     {"reason", StringValue(options.reason)},
                     {"blessed_by", StringValue(options.person)}};
  spec.always_runs = true;
  return std::make_unique<Bless>(std::move(options));
}

}  // namespace rekindle
