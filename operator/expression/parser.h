#ifndef REKINDLE_OPERATOR_EXPRESSION_PARSER_H_
#define REKINDLE_OPERATOR_EXPRESSION_PARSER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "operator/expression/syntax_tree.h"

namespace rekindle::argo {

// The tree of an expression.
//
//   INVALID_ARGUMENT  a syntax error, a function that nobody has, nesting
//                     beyond reason
//   UNIMPLEMENTED     a function of sprig's that we do not have
absl::StatusOr<NodePtr> ParseExpression(absl::string_view text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_PARSER_H_
