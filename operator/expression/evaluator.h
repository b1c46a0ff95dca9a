#ifndef REKINDLE_OPERATOR_EXPRESSION_EVALUATOR_H_
#define REKINDLE_OPERATOR_EXPRESSION_EVALUATOR_H_

#include "absl/status/statusor.h"
#include "operator/expression/syntax_tree.h"
#include "operator/expression/value.h"

namespace rekindle::argo {

// The value of a tree. A message begins with the column it is about.
//
//   INVALID_ARGUMENT  a wrong kind, an unknown name, or a value a function does
//                     not take
absl::StatusOr<Value> Evaluate(const ExpressionNode& root,
                               const Value::Map& variables);

// `left OPERATOR right` of an operator that evaluates both sides.
absl::StatusOr<Value> ApplyBinary(const std::string& symbol, const Value& left,
                                  const Value& right);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_EVALUATOR_H_
