#ifndef REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULES_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "component/optimizers/update_rule.h"
#include "rekindle/training/optimization_config.h"

namespace rekindle {

// The rules of Keras 3's optimizers of these names. They leave clipping to
// others.
std::unique_ptr<UpdateRule> MakeSgd(const SgdConfig& config);
std::unique_ptr<UpdateRule> MakeAdam(const AdamConfig& config);
std::unique_ptr<UpdateRule> MakeAdagrad(const AdagradConfig& config);
std::unique_ptr<UpdateRule> MakeRmsprop(const RmspropConfig& config);

// Model Garden's Adam with weight decay. Clips by gradient_clip_norm.
//
//   INVALID_ARGUMENT  a pattern is not a regular expression
absl::StatusOr<std::unique_ptr<UpdateRule>> MakeAdamWeightDecay(
    const AdamWeightDecayConfig& config);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_UPDATE_RULES_H_
