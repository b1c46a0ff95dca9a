#ifndef REKINDLE_OPERATOR_PODS_NODE_OUTPUTS_H_
#define REKINDLE_OPERATOR_PODS_NODE_OUTPUTS_H_

#include <optional>
#include <string>
#include <vector>

#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What a node gave to those behind it.
struct NodeOutputs {
  std::vector<Parameter> parameters;
  std::vector<Artifact> artifacts;
  std::optional<std::string> result;
  std::optional<std::string> exit_code;

  bool empty() const {
    return parameters.empty() && artifacts.empty() && !result.has_value() &&
           !exit_code.has_value();
  }
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_NODE_OUTPUTS_H_
