#ifndef REKINDLE_OPERATOR_EXPRESSION_EXPRESSION_H_
#define REKINDLE_OPERATOR_EXPRESSION_EXPRESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "operator/expression/value.h"

namespace rekindle::argo {

struct ExpressionNode;

// An expression in the language Argo takes for `{{=...}}`, for
// retryStrategy.expression, for hooks, valueFrom.expression and fromExpression:
// expr-lang with Argo's own functions and sprig's. Immutable and thread-safe.
class Expression {
 public:
  // Checks the syntax and that every function is one we have.
  //
  //   INVALID_ARGUMENT  a syntax error, with its column; an unknown function,
  //   by
  //                     name
  static absl::StatusOr<Expression> Parse(absl::string_view text);

  // The value with `variables` as the names it may use. An unknown name at the
  // top is an error; a missing key of a map is nil.
  //
  //   INVALID_ARGUMENT  a wrong type, a name that is not there, a value a
  //                     function does not take
  absl::StatusOr<Value> Evaluate(const Value::Map& variables) const;

  // The same where only true and false make sense.
  absl::StatusOr<bool> EvaluateBool(const Value::Map& variables) const;

  // The names and paths (`tasks.a.outputs.result`) the expression needs to have
  // a value, without those that `??` or `?.` guards: what Argo waits for before
  // it evaluates. In order of appearance.
  std::vector<std::string> RequiredNames() const;

  const std::string& text() const { return text_; }

 private:
  Expression(std::string text, std::shared_ptr<const ExpressionNode> root)
      : text_(std::move(text)), root_(std::move(root)) {}

  std::string text_;
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_EXPRESSION_H_
