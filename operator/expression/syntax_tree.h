#ifndef REKINDLE_OPERATOR_EXPRESSION_SYNTAX_TREE_H_
#define REKINDLE_OPERATOR_EXPRESSION_SYNTAX_TREE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator/expression/value.h"

namespace rekindle::argo {

// A node of an expression. `children` in order:
//
//   kLiteral   none; `literal`
//   kName      none; `text`
//   kPointer   none; `text` is "", "index" or "acc": what a predicate is about
//   kMember    base, key; `optional` for ?.
//   kChain     the members and calls that a `?.` in them cuts short
//   kSlice     base, from, to; from and to may be null
//   kUnary     operand; `text` is the operator
//   kBinary    left, right; `text`
//   kCondition condition, then, else
//   kList      items
//   kMap       key, value, key, value, ...
//   kCall      arguments; `text` is the function's name, "sprig.x" for sprig's
//   kMethod    base, arguments...; `text` is the method's name
//   kPredicate the expression that a call evaluates for each item
//   kLet       value, body; `text` is the name
//   kSequence  expressions; the last gives the value
struct ExpressionNode {
  enum class Kind {
    kLiteral,
    kName,
    kPointer,
    kMember,
    kChain,
    kSlice,
    kUnary,
    kBinary,
    kCondition,
    kList,
    kMap,
    kCall,
    kMethod,
    kPredicate,
    kLet,
    kSequence,
  };

  Kind kind = Kind::kLiteral;
  int column = 0;
  std::string text;
  Value literal;
  bool optional = false;
  std::vector<std::shared_ptr<const ExpressionNode>> children;
};
using NodePtr = std::shared_ptr<const ExpressionNode>;

inline NodePtr MakeNode(ExpressionNode::Kind kind, int column, std::string text,
                        std::vector<NodePtr> children, bool optional = false) {
  return std::make_shared<const ExpressionNode>(ExpressionNode{
      kind, column, std::move(text), Value(), optional, std::move(children)});
}

inline NodePtr MakeLiteral(int column, Value value) {
  return std::make_shared<const ExpressionNode>(ExpressionNode{
      ExpressionNode::Kind::kLiteral, column, "", std::move(value), false, {}});
}

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_SYNTAX_TREE_H_
