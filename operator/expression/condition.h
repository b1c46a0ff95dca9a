#ifndef REKINDLE_OPERATOR_EXPRESSION_CONDITION_H_
#define REKINDLE_OPERATOR_EXPRESSION_CONDITION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {

// Whether a step with this `when` is to run. `when` has another language than
// `{{=...}}` (Argo uses govaluate there): ==, !=, <, <=, >, >=, =~, !~, in,
// &&, ||, !, arithmetic, ?:, ??, and parentheses; a bare word is a string, so
// `{{inputs.parameters.env}} == prod` works once the tag is replaced. A string
// and a number are never equal. An empty condition is true.
//
//   INVALID_ARGUMENT  it does not parse, compares what cannot be compared, or
//                     gives something else than true or false
absl::StatusOr<bool> EvaluateWhen(absl::string_view when);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_CONDITION_H_
