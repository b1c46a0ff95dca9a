#ifndef REKINDLE_CLI_STEP_PLAN_H_
#define REKINDLE_CLI_STEP_PLAN_H_

#include <optional>
#include <string>

#include "component/launch/cache_forecast.h"
#include "component/launch/plan.h"
#include "component/launch/step.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// What `--dry-run` prints: what the step would do, each input with all that was
// looked at for it, and what it would find in the cache, if it would ask it.
std::string PlanToText(const StepSpec& spec, const StepPlan& plan,
                       const std::optional<CacheForecast>& cache);
nlohmann::json PlanToJson(const StepSpec& spec, const StepPlan& plan,
                          const std::optional<CacheForecast>& cache);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_PLAN_H_
