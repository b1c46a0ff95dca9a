#ifndef REKINDLE_CLI_STEP_PLAN_H_
#define REKINDLE_CLI_STEP_PLAN_H_

#include <string>

#include "component/launch/plan.h"
#include "component/launch/step.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What `--dry-run` prints: what the step would do, and each input with all that
// was looked at for it.
std::string PlanToText(const StepSpec& spec, const StepPlan& plan);
nlohmann::json PlanToJson(const StepSpec& spec, const StepPlan& plan);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_PLAN_H_
