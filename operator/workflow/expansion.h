#ifndef REKINDLE_OPERATOR_WORKFLOW_EXPANSION_H_
#define REKINDLE_OPERATOR_WORKFLOW_EXPANSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// One of the steps that withItems, withParam or withSequence make of one.
struct ExpandedStep {
  std::string name;  // "print(0:hello)", as Argo names it
  Scope item;        // "item", "item.key"
  YamlNode value;    // the item itself
};

// The items of a step whose withParam and withSequence are rendered already; a
// step without any of the three gives none.
//
//   INVALID_ARGUMENT  withParam is not a JSON list, a sequence without count
//   and
//                     end, or with a bound that is no number
absl::StatusOr<std::vector<ExpandedStep>> ExpandStep(const Step& step);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_EXPANSION_H_
