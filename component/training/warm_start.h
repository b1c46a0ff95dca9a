#ifndef REKINDLE_COMPONENT_TRAINING_WARM_START_H_
#define REKINDLE_COMPONENT_TRAINING_WARM_START_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/contract/executor_output.h"
#include "component/io/saved_model_reader.h"
#include "component/training/variable_match.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"

namespace rekindle {

struct WarmStart {
  WarmStartReport report;  // one entry per variable of the new model
  NamedTensors restored;
};

// Decides which variables of a new model take their value from a base model:
// those that MatchVariable finds there with the same type and shape, and whose
// rows stand for the same things. A pure function. Only the model's variables
// are passed: an optimizer starts afresh.
WarmStart PlanWarmStart(const std::vector<VariableSpec>& variables,
                        const VariableAxes& axes, const SavedVariables& base,
                        const std::string& base_model,
                        const VariableNames& renamed = {});

// The report as aligned lines for a person.
std::string FormatWarmStart(const WarmStartReport& report);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_WARM_START_H_
