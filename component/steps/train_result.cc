#include "component/steps/train_result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "metadata/api/values.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

std::string JsonListOf(const std::vector<WarmStartVariable>& variables) {
  nlohmann::json list = nlohmann::json::array();
  for (const WarmStartVariable& variable : variables) {
    nlohmann::json entry = {{"name", variable.name},
                            {"restored", variable.restored}};
    if (!variable.restored) entry["reason"] = variable.reason;
    list.push_back(std::move(entry));
  }
  return list.dump();
}

}  // namespace

StepResult MakeTrainResult(const ExecutorOutput& output,
                           const StepContext& context) {
  StepResult result;
  PropertyMap& model = result.outputs["model"].custom_properties;
  for (const auto& [name, value] : output.metrics) {
    model[name] = DoubleValue(value);
  }
  model["train_complete"] = IntValue(output.train_complete ? 1 : 0);
  model["global_step"] = IntValue(output.global_step);

  PropertyMap& execution = result.execution_properties;
  for (const auto& [name, value] : output.environment) {
    execution[name] = StringValue(value);
  }
  if (output.resumed_from_step.has_value()) {
    execution["resumed_from_step"] = IntValue(*output.resumed_from_step);
  }
  if (output.warm_start.has_value()) {
    const int64_t base_id = context.FindInput("base_model")->id();
    execution["warm_started_from"] = IntValue(base_id);
    model["warm_started_from"] = IntValue(base_id);
    execution["warm_start_variables"] =
        StringValue(JsonListOf(output.warm_start->variables));
  }
  return result;
}

}  // namespace rekindle
