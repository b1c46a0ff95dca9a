// Internal to operator/expression/parser.
#ifndef REKINDLE_OPERATOR_EXPRESSION_TOKEN_CURSOR_H_
#define REKINDLE_OPERATOR_EXPRESSION_TOKEN_CURSOR_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "operator/expression/lexer.h"

namespace rekindle::argo {

// A place among the tokens of an expression, which moves only forward and never
// beyond the last of them. Thread-compatible.
class TokenCursor {
 public:
  // `tokens` are as Tokenize() gives them: the last is kEnd.
  explicit TokenCursor(std::vector<Token> tokens);

  const Token& Current() const { return tokens_[at_]; }
  // The one behind it.
  const Token& Next() const;
  // Gives the current one and moves on.
  Token Take();

  bool IsOperator(absl::string_view text) const;
  bool IsBracket(absl::string_view text) const;
  // Moves on if it is this operator; says whether it was.
  bool TakeOperator(absl::string_view text);

  // Moves on.
  //
  //   INVALID_ARGUMENT  it is another one
  absl::Status Expect(Token::Kind kind, absl::string_view text);

  // The error that the current one may not stand here.
  absl::Status Unexpected() const;

 private:
  const std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_TOKEN_CURSOR_H_
