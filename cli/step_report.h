#ifndef REKINDLE_CLI_STEP_REPORT_H_
#define REKINDLE_CLI_STEP_REPORT_H_

#include <string>

#include "absl/time/time.h"
#include "component/launch/step.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// How a step ended, for scripts.
nlohmann::json ReportToJson(const StepSpec& spec, const StepReport& report);

// The same, for people: a line for the step and one for each artifact.
std::string ReportToText(const StepSpec& spec, const StepReport& report,
                         absl::Duration took);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_REPORT_H_
