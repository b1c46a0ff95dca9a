// Internal to operator/expression/parser.
#ifndef REKINDLE_OPERATOR_EXPRESSION_GRAMMAR_H_
#define REKINDLE_OPERATOR_EXPRESSION_GRAMMAR_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/expression/lexer.h"
#include "operator/expression/syntax_tree.h"
#include "operator/expression/token_cursor.h"

namespace rekindle::argo {

// expr-lang's grammar. Each method reads what its name says from the tokens and
// leaves the cursor behind it; an error is INVALID_ARGUMENT, or UNIMPLEMENTED
// for a function that Argo may have. To be used once. Thread-compatible.
class Grammar {
 public:
  explicit Grammar(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // One expression, and nothing behind it.
  absl::StatusOr<NodePtr> Everything();

 private:
  // Operations, in parser.cc.
  absl::StatusOr<NodePtr> Sequence();
  absl::StatusOr<NodePtr> Whole();
  // `precedence` is the least that an operator in it may have.
  absl::StatusOr<NodePtr> Operation(int precedence);
  absl::StatusOr<NodePtr> UncountedOperation(int precedence);
  absl::StatusOr<NodePtr> Binary(NodePtr left, const Token& symbol,
                                 int precedence);
  absl::StatusOr<NodePtr> Ordering(NodePtr left, Token symbol, int precedence);
  absl::StatusOr<NodePtr> Pipe(NodePtr left);
  absl::StatusOr<NodePtr> Let();
  absl::StatusOr<NodePtr> If();
  absl::StatusOr<NodePtr> Block();
  absl::StatusOr<NodePtr> Ternary(NodePtr condition);
  absl::StatusOr<NodePtr> Primary();

  // Operands, in operand_grammar.cc.
  absl::StatusOr<NodePtr> Atom();
  absl::StatusOr<NodePtr> PointerOrError();
  absl::StatusOr<NodePtr> NameOrCall(const Token& name);
  absl::StatusOr<NodePtr> List();
  absl::StatusOr<NodePtr> Map();
  absl::StatusOr<NodePtr> MapKey();
  // `arguments` are what a pipe gives it.
  absl::StatusOr<NodePtr> Call(const Token& name,
                               std::vector<NodePtr> arguments);
  absl::StatusOr<NodePtr> Predicate();
  // `node` and the members and indexes behind it.
  absl::StatusOr<NodePtr> Postfix(NodePtr node);
  absl::StatusOr<NodePtr> Member(const NodePtr& base, bool optional);
  absl::StatusOr<NodePtr> Method(NodePtr base, const Token& name,
                                 bool optional);
  absl::StatusOr<NodePtr> Index(const NodePtr& base, bool optional);

  TokenCursor tokens_;
  int depth_ = 0;
  int predicates_ = 0;  // that we are inside of
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_GRAMMAR_H_
